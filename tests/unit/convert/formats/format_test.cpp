#include "convert/formats/format.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

// Public jobs often begin with their licence, longer than what is looked at.
TEST(Formats, a_licence_may_stand_before_what_tells) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/job.yaml";
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "# Licensed under some licence, whose text goes on and on.\n";
  std::ofstream(file) << text << "modules:\n  pre_trainer:\n    framework: megatron\n";
  const convert::Format* format = convert::format_of(file);
  ASSERT_TRUE(format);
  EXPECT_EQ(format->name, "primus");
}

}  // namespace
}  // namespace pipewright::test
