#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(NanotronFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("nanotron");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("checkpoint_interval: 10\n", "c.yaml"));
  EXPECT_FALSE(format->recognises("model: gpt\n", "other.yaml"));
}

}  // namespace
}  // namespace pipewright::test
