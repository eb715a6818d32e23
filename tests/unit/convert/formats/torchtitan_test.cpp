#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(TorchtitanFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("torchtitan");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("[job]\ndump_folder = 1\n", "job.toml"));
  EXPECT_FALSE(format->recognises("a: 1\n", "other.yaml"));
}

}  // namespace
}  // namespace pipewright::test
