#include "convert/megatron/writer.hpp"

#include <gtest/gtest.h>

#include "convert/megatron/arguments.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriter, arguments_are_those_of_today) {
  const std::string script = megatron::write_script(
      experiment_of(on_blackwell() + "precision: {fp8: mxfp8}\npartition: [1, 2, 2, 1]\n"));
  for (const char* argument :
       {"--tensor-model-parallel-size 2\n", "--use-distributed-optimizer\n", "--swiglu\n",
        "--fp8-format e4m3\n", "--fp8-recipe mxfp8\n", "'Et*1|t*2|t*2|t*1L'\n",
        "--nnodes 2 --nproc-per-node 8 --rdzv-backend c10d", "pretrain_gpt.py",
        "--vocab-size 1023\n"})
    EXPECT_NE(script.find(argument), std::string::npos) << argument << script;
}

TEST(MegatronWriter, a_loss_in_place_is_transformer_engines) {
  const auto script = [](const std::string& more) {
    return megatron::write_script(experiment_of(on_blackwell() + more));
  };
  EXPECT_NE(script("loss: fused\n").find("--cross-entropy-fusion-impl te"), std::string::npos);
  EXPECT_EQ(script("").find("--cross-entropy"), std::string::npos);
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
        "recompute: {layers: 1}\noverlap: {data: true}\n",
        "attention: unfused\noffload: optimizer\ntraining: {tokens: 1 T}\n"}) {
    const megatron::ArgumentLines written =
        megatron::all_arguments(experiment_of(small_experiment + more));
    for (const megatron::ArgumentLine& line : written.lines())
      EXPECT_EQ(refused(line), "") << line.name << ' ' << line.value;
  }
  std::string splits = small_experiment + "overlap: {tensor: chunked, weights: true, data: true}\n";
  const std::string end = "zero: 1}";
  splits.replace(splits.find(end), end.size(), "zero: 1, sequence: true}");
  const megatron::ArgumentLines written = megatron::all_arguments(experiment_of(splits));
  for (const megatron::ArgumentLine& line : written.lines())
    EXPECT_EQ(refused(line), "") << line.name;
}

// validate_args of megatron/training/arguments.py: devices before Blackwell have one queue where
// ranks share layers or sequences, and Megatron-FSDP has several.
TEST(MegatronWriter, queues_of_launches_are_as_many_as_the_framework_asserts) {
  const auto script = [](const std::string& node, const std::string& parallel) {
    return megatron::write_script(
        experiment_of("model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024}}\n"
                      "cluster: {node: " +
                      node + ", nodes: 1}\nparallel: {" + parallel +
                      "}\nbatch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n"));
  };
  const auto says = [](const std::string& text, const std::string& line) {
    return text.find('\n' + line + '\n') != std::string::npos;
  };
  const std::string one = "export CUDA_DEVICE_MAX_CONNECTIONS=1";
  EXPECT_TRUE(says(script("dgx-h100", "tensor: 2"), one));
  EXPECT_TRUE(says(script("dgx-h100", "context: 2"), one));
  EXPECT_FALSE(says(script("dgx-h100", "data: 8"), one));
  EXPECT_FALSE(says(script("dgx-b200", "tensor: 2"), one));
  EXPECT_FALSE(says(script("dgx-h100", "tensor: 2, zero: 3"), one));
  EXPECT_TRUE(says(script("dgx-h100", "tensor: 2, zero: 3"), "unset CUDA_DEVICE_MAX_CONNECTIONS"));
}

// The other unit's learning rates are refused beside it.
TEST(MegatronWriter, a_training_of_whole_steps_is_counted_in_them) {
  const auto script = [](const std::string& tokens) {
    return megatron::write_script(
        experiment_of(small_experiment + "training: {tokens: " + tokens + "}\n"));
  };
  EXPECT_NE(script("20480").find("--train-iters 10\n"), std::string::npos);
  EXPECT_EQ(script("20480").find("    --train-samples"), std::string::npos);
  EXPECT_NE(script("12800").find("--train-samples 100\n"), std::string::npos);
}

TEST(MegatronWriter, model_args_are_the_same_arguments_as_yaml) {
  const std::string yaml = megatron::write_model_args(experiment_of(
      small_experiment + "partition: [1, 2, 2, 1]\nrecompute: {ops: [attention, mlp]}\n"));
  for (const char* line : {"ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\nMODEL_ARGS:\n",
                           "  --swiglu: true\n", "  --tensor-model-parallel-size: 2\n",
                           "  --pipeline-model-parallel-layout: Et*1|t*2|t*2|t*1L\n",
                           "  --recompute-modules: \"[core_attn mlp]\"\n"})
    EXPECT_NE(yaml.find(line), std::string::npos) << line << yaml;
}

}  // namespace
}  // namespace pipewright::test
