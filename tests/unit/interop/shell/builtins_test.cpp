#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

// Nobody gives them here.
TEST(ShellBuiltins, arguments_from_outside_keep_their_numbers) {
  EXPECT_EQ(commands_of("A=$1; shift; B=$1; shift 2; run $A $B ${1}"), "[run][${1}][${2}][${4}]\n");
  EXPECT_EQ(commands_of("f() { shift; }; f a; run $1"), "[run][${1}]\n");
}

TEST(ShellBuiltins, arguments_are_set_and_shifted) {
  EXPECT_EQ(commands_of("set -- a b c\nshift\nrun $# $1 \"$@\""), "[run][2][b][b][c]\n");
  EXPECT_EQ(commands_of("while [ $# -gt 0 ]; do shift; done\nrun"), "[run]\n");
}

TEST(ShellBuiltins, folders_are_followed_as_texts) {
  EXPECT_EQ(commands_of("D=$(cd \"$(dirname \"$0\")\" && pwd)\nrun $D"), "[run][.]\n");
  EXPECT_EQ(commands_of("X=1\nunset X\nrun ${X:-no}"), "[run][no]\n");
}

// What is exported, whenever it gets its value, and what stands before one command.
TEST(ShellBuiltins, programs_are_given_what_is_exported) {
  const shell::Outcome outcome = follow(
      "export A=1 B\nB=2\nC=3\ndeclare -x D=4\nexport E=5\nunset E\ndeclare -rx G=7\nexport -n "
      "H=8\n"
      "F=6 run\nB=4\n");
  std::string text;
  for (const auto& [name, value] : *outcome.variables.at(0))
    text += name + shell::written(value) + ' ';
  EXPECT_EQ(text, "A1 B2 D4 G7 ");
  EXPECT_EQ(shell::written(outcome.own_variables.at(0).at("F")), "6");
}

// Each program is given what holds as it starts.
TEST(ShellBuiltins, set_a_exports_all) {
  const auto given = [](const std::string& script) {
    std::string text;
    for (const shell::GivenOn& one : follow(script).variables) {
      for (const auto& [name, value] : *one) text += name + shell::written(value) + ' ';
      text += '|';
    }
    return text;
  };
  EXPECT_EQ(given("A=1\nset -a\nB=2\nset +a\nC=3\nrun\nB=4\nrun\n"), "B2 |B4 |");
  EXPECT_EQ(given("set -euo pipefail\nB=2\nrun\n"), "|");
  EXPECT_EQ(given("set -o allexport\nB=2\nrun\nset +o allexport\n"), "B2 |");
}

// As GNU seq has them.
TEST(ShellBuiltins, whole_numbers_are_counted) {
  EXPECT_EQ(commands_of("run $(seq 3) $(seq 0 2 4) $(seq 3 -1 2) $(seq 2 1)"),
            "[run][1][2][3][0][2][4][3][2]\n");
  EXPECT_EQ(commands_of("N=0\nfor i in $(seq 4); do N=$((N+i)); done\nrun $N"), "[run][10]\n");
  EXPECT_TRUE(shell::unknown_in(follow("run $(seq 1 0.5 2)").commands.at(0).at(1)));
  EXPECT_TRUE(shell::unknown_in(follow("run $(seq 1 $(nproc))").commands.at(0).at(1)));
}

TEST(ShellBuiltins, words_before_a_command_change_nothing_of_it) {
  EXPECT_EQ(commands_of("exec nohup run a"), "[run][a]\n");
  EXPECT_EQ(commands_of("A=1 B=2 run a"), "[run][a]\n");
}

}  // namespace
}  // namespace pipewright::test
