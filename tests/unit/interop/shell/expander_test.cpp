#include "interop/shell/expander.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellExpander, variables_and_arrays_stand_for_their_words) {
  EXPECT_EQ(commands_of("N=4\nARGS=(\n  --a $N # four\n  --b \"${N}x\"\n)\nrun ${ARGS[@]}\n"),
            "[run][--a][4][--b][4x]\n");
  EXPECT_EQ(commands_of("A=\"--x 1 --y 2\"\nrun $A \"$A\"\n"),
            "[run][--x][1][--y][2][--x 1 --y 2]\n");
  EXPECT_EQ(commands_of("A=(1)\nA+=(2 '3 4')\nrun \"${A[@]}\" ${#A[@]} ${A[2]}\n"),
            "[run][1][2][3 4][3][3][4]\n");
  EXPECT_EQ(commands_of("declare -A L=([7b]=32 [13b]=40)\nS=13b\nrun ${L[$S]}"), "[run][40]\n");
  EXPECT_EQ(commands_of("A=()\nrun \"${A[@]}\" x"), "[run][x]\n");
}

TEST(ShellExpander, words_know_their_place) {
  const shell::Outcome outcome = follow("A=\"--x \\\n  12\"\nrun $A b\n");
  const shell::Command& command = outcome.commands[0];
  EXPECT_EQ(command[2][0].place.line, 2);
  EXPECT_EQ(command[2][0].place.column, 3);
  EXPECT_EQ(command[3][0].place.line, 3);
  EXPECT_EQ(command[3][0].place.column, 8);
}

TEST(ShellExpander, what_is_not_known_says_what_would_tell_it) {
  const shell::Outcome outcome = follow("N=$(nvidia-smi -L | wc -l)\nrun $((N * 2)) ${OUT}x\n");
  const auto first = shell::unknown_in(outcome.commands[0][1]);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, "N");
  EXPECT_FALSE(first->unset);
  const auto second = shell::unknown_in(outcome.commands[0][2]);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->name, "OUT");
  EXPECT_TRUE(second->unset);
}

TEST(ShellExpander, commands_whose_output_the_text_decides_are_followed) {
  EXPECT_EQ(commands_of("N=$(echo 4); run $N `expr 2 \\* 3` $(basename a/b.sh) $(dirname a/b.sh)"),
            "[run][4][6][b.sh][a]\n");
}

TEST(ShellExpander, words_do_not_grow_without_end) {
  std::string bomb = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 40; ++i) bomb += "A=$A$A\n";
  EXPECT_NE(error_of([&] { follow(bomb); }).find("grows beyond"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
