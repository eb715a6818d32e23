#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(DeepSpeedFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("deepspeed");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises(R"({"zero_optimization": {)", "c.json"));
  EXPECT_TRUE(format->recognises("deepspeed --num_gpus 8 train.py\n", "run.sh"));
  EXPECT_FALSE(format->recognises("deepspeed --num_gpus 8 pretrain_gpt.py\n", "run.sh"));
  EXPECT_FALSE(format->recognises(R"({"model_type": "llama"})", "config.json"));
}

}  // namespace
}  // namespace pipewright::test
