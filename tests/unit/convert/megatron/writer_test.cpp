#include "convert/megatron/writer.hpp"

#include <gtest/gtest.h>

#include "convert/megatron/arguments.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriter, arguments_are_those_of_today) {
  const std::string script = megatron::write_script(
      experiment_of(small_experiment + "precision: {fp8: mxfp8}\npartition: [1, 2, 2, 1]\n"));
  for (const char* argument :
       {"--tensor-model-parallel-size 2\n", "--use-distributed-optimizer\n", "--swiglu\n",
        "--fp8-format e4m3\n", "--fp8-recipe mxfp8\n", "'Et*1|t*2|t*2|t*1L'\n",
        "--nnodes 2 --nproc-per-node 8 pretrain_gpt.py", "--vocab-size 1023\n"})
    EXPECT_NE(script.find(argument), std::string::npos) << argument << script;
}

/// Returns what Megatron-LM's parser of today would say of an argument, or nothing.
std::string refused(const megatron::ArgumentLine& line) {
  const megatron::Argument* argument = megatron::find_argument(line.name);
  const megatron::Argument* newest = megatron::find_argument("num-layers");
  if (!argument) return "unrecognized arguments";
  if (argument->to != newest->to) return "an argument of the past";
  const bool is_flag = argument->takes == megatron::Takes::flag;
  if (is_flag != line.value.empty()) return is_flag ? "takes no value" : "expected one argument";
  std::string value = line.value;
  std::erase(value, '\'');
  return is_flag || argument->takes == megatron::Takes::some ? "" : misfit_of(*argument, value);
}

TEST(MegatronWriter, the_parser_of_today_takes_every_argument) {
  for (const char* more :
       {"precision: {fp8: mxfp8}\npartition: [1, 2, 2, 1]\n", "precision: nvfp4\nrecompute: full\n",
        "optimizer: muon\n", "master_weights: remainders\nmoments: fp8\n",
        "precision: fp16\nrecompute: {ops: [attention, mlp]}\n", "optimizer: momentum\n",
        "recompute: {layers: 1}\noverlap: {tensor: chunked, data: true}\n",
        "attention: unfused\noffload: optimizer\ntraining: {tokens: 1 T}\n"}) {
    const megatron::ArgumentLines written =
        megatron::all_arguments(experiment_of(small_experiment + more));
    for (const megatron::ArgumentLine& line : written.lines())
      EXPECT_EQ(refused(line), "") << line.name << ' ' << line.value;
  }
}

}  // namespace
}  // namespace pipewright::test
