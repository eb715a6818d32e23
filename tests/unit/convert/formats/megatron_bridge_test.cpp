#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronBridgeFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("megatron-bridge");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("train:\n  train_iters: 10\n", "r.yaml"));
  EXPECT_FALSE(format->recognises("trainer:\n  devices: 8\n", "r.yaml"));
  EXPECT_FALSE(format->recognises("train:\n  train_iters: 10\n", "r.txt"));
}

// Of NeMo 1's models of images: data has a `train`, and no recipe begins with it.
TEST(MegatronBridgeFormat, its_sections_stand_at_the_beginning_of_lines) {
  EXPECT_FALSE(
      convert::find_format("megatron-bridge")
          ->recognises("model:\n  micro_batch_size: 2\n  data:\n    train: 3\n", "r.yaml"));
}

}  // namespace
}  // namespace pipewright::test
