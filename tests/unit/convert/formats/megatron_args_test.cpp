#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronArgsFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("megatron-args");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("torchrun pretrain_gpt.py --num-layers 4\n", "run"));
  EXPECT_TRUE(format->recognises("MODEL_ARGS:\n  --num-layers: 4\n", "a.yaml"));
  EXPECT_TRUE(format->recognises("language_model:\n  num_layers: 4\n", "a.yaml"));
  EXPECT_FALSE(format->recognises("model:\n  language_model: x\n", "a.yaml"));
}

// Of GPT-NeoX some configurations are JSON.
TEST(MegatronArgsFormat, a_configuration_of_gpt_neox_may_be_json) {
  const convert::Format* format = convert::find_format("megatron-args");
  EXPECT_TRUE(
      format->recognises("{\n \"pipe-parallel-size\": 1,\n \"num-layers\": 4\n}", "a.json"));
  EXPECT_FALSE(format->recognises("{\"config\": {\"pipe_parallel_size\": 1}}", "results.json"));
  EXPECT_FALSE(format->recognises("{\"num_hidden_layers\": 4}", "config.json"));
}

}  // namespace
}  // namespace pipewright::test
