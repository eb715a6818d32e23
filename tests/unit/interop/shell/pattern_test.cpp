#include "interop/shell/pattern.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(ShellPatterns, match_whole_texts) {
  EXPECT_TRUE(shell::matches("a*c", "abc"));
  EXPECT_TRUE(shell::matches("[ab]?", "bz"));
  EXPECT_FALSE(shell::matches("a*", "ba"));
}

TEST(ShellPatterns, cut_and_replace_pieces) {
  EXPECT_EQ(shell::without_prefix("a.b.c", "*.", false), "b.c");
  EXPECT_EQ(shell::without_prefix("a.b.c", "*.", true), "c");
  EXPECT_EQ(shell::without_suffix("a.b.c", ".*", false), "a.b");
  EXPECT_EQ(shell::without_suffix("a.b.c", ".*", true), "a");
  EXPECT_EQ(shell::replaced("a-b-c", "-", "_", false), "a_b-c");
  EXPECT_EQ(shell::replaced("a-b-c", "-", "", true), "abc");
}

}  // namespace
}  // namespace pipewright::test
