#include "convert/megatron/writer.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pipewright::test
