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

}  // namespace
}  // namespace pipewright::test
