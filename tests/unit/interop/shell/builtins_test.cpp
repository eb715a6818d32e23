#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellBuiltins, arguments_are_set_and_shifted) {
  EXPECT_EQ(commands_of("set -- a b c\nshift\nrun $# $1 \"$@\""), "[run][2][b][b][c]\n");
  EXPECT_EQ(commands_of("while [ $# -gt 0 ]; do shift; done\nrun"), "[run]\n");
}

TEST(ShellBuiltins, folders_are_followed_as_texts) {
  EXPECT_EQ(commands_of("D=$(cd \"$(dirname \"$0\")\" && pwd)\nrun $D"), "[run][.]\n");
  EXPECT_EQ(commands_of("X=1\nunset X\nrun ${X:-no}"), "[run][no]\n");
}

TEST(ShellBuiltins, words_before_a_command_change_nothing_of_it) {
  EXPECT_EQ(commands_of("exec nohup run a"), "[run][a]\n");
  EXPECT_EQ(commands_of("A=1 B=2 run a"), "[run][a]\n");
}

}  // namespace
}  // namespace pipewright::test
