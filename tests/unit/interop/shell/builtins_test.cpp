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

// As Bash 5.2 has them.
TEST(ShellBuiltins, what_a_text_gives_is_read) {
  EXPECT_EQ(commands_of("read A B <<< \"1 2 3\"\nrun \"$A\" \"$B\""), "[run][1][2 3]\n");
  EXPECT_EQ(commands_of("IFS=, read -r TP PP <<< 4,2\nrun $TP $PP a,b"), "[run][4][2][a,b]\n");
  EXPECT_EQ(commands_of("IFS=',' read -ra N <<< \"h1,h2\"\nrun ${#N[@]} ${N[1]}"),
            "[run][2][h2]\n");
  EXPECT_EQ(commands_of("read -p 'which? ' X <<< y\nrun $X"), "[run][y]\n");
}

TEST(ShellBuiltins, what_is_read_is_not_known) {
  const shell::Outcome outcome = follow("read N\nrun $N");
  EXPECT_FALSE(shell::known(outcome.commands[0][1]));
}

}  // namespace
}  // namespace pipewright::test
