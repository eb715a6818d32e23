#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(PrimusFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("primus");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("modules:\n  pre_trainer:\n", "exp.yaml"));
  EXPECT_FALSE(format->recognises("modules: {}\n", "exp.yaml"));
}

}  // namespace
}  // namespace pipewright::test
