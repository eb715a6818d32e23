#include "convert/deepspeed/hosts.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::deepspeed {
namespace {

job::World include(const std::string& text) {
  return read_include({.text = text, .where = {"run.sh", 1, 1}, .unknown = {}}, 8);
}

TEST(DeepSpeedHosts, a_hostfile_has_slots) {
  const job::World world =
      read_hostfile("# ours\nworker-1 slots=4\n\nworker-2 slots=4 # new\n", "h");
  EXPECT_EQ(world.devices, 8);
  EXPECT_EQ(world.per_node, 4);
}

TEST(DeepSpeedHosts, a_line_that_is_none_is_named) {
  const auto error = [](const char* text) {
    return test::error_of([&] { read_hostfile(text, "h"); });
  };
  EXPECT_EQ(error("a slots=2\nb\n"), "h:2:1: error: a line of a hostfile is 'HOST slots=N'");
  EXPECT_EQ(error("# none\n"), "h:1:1: error: this hostfile has no hosts");
}

// A host without numbers has all of its slots.
TEST(DeepSpeedHosts, include_names_devices) {
  EXPECT_EQ(include("localhost:0,1,3").devices, 3);
  EXPECT_EQ(include("a:0,1@b").devices, 10);
  EXPECT_NE(test::error_of([] { include(""); }).find("--include needs"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::deepspeed
