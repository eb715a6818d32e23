#include "interop/shell/parameter_value.hpp"

#include <gtest/gtest.h>

#include "run_script.hpp"

namespace pipewright::test {
namespace {

TEST(ShellParameterValue, another_word_may_take_a_values_place) {
  EXPECT_EQ(commands_of("run ${M:-7} ${X:=d} $X ${X:+y} ${Y+z}"), "[run][7][d][d][y]\n");
  EXPECT_EQ(commands_of("A=(); B=(1 2); run ${A[@]:-x y} ${B[@]:+z} ${B[@]:-x}"),
            "[run][x][y][z][1][2]\n");
}

TEST(ShellParameterValue, a_quoted_star_makes_one_word) {
  EXPECT_EQ(commands_of("A=(a 'b c'); run \"x${A[*]}y\" \"${A[@]}\" ${A[*]}"),
            "[run][xa b cy][a][b c][a][b][c]\n");
  EXPECT_EQ(commands_of("set -- 1 2; IFS=,; run \"$*\""), "[run][1,2]\n");
  EXPECT_EQ(commands_of("A=(run --x 1); bash -c \"${A[*]}\""), "[run][--x][1]\n");
}

// The script itself stands before its arguments.
TEST(ShellParameterValue, some_words_of_a_list_may_be_meant) {
  EXPECT_EQ(commands_of("set -- a b c; run \"${@:2}\" x \"${@:1:2}\" y \"${@: -1}\""),
            "[run][b][c][x][a][b][y][c]\n");
  EXPECT_EQ(commands_of("A=(a b c); run ${A[@]:1} x ${A[@]:0:1} \"${A[@]:3}\""),
            "[run][b][c][x][a]\n");
}

TEST(ShellParameterValue, a_name_a_key_or_a_length_may_be_meant) {
  EXPECT_EQ(commands_of("A=B; B=3; run ${!A}"), "[run][3]\n");
  EXPECT_EQ(commands_of("A=(a b cd); run ${A[-1]} ${#A[@]} ${#A[2]} ${!A[@]} ${A[1+1]}"),
            "[run][cd][3][2][0][1][2][cd]\n");
  EXPECT_EQ(commands_of("set -- a b; run $# ${2} ${#2}"), "[run][2][b][1]\n");
}

// Words that $(...) makes are as many as it prints.
TEST(ShellParameterValue, a_list_of_what_is_not_known_has_no_known_length) {
  const auto length = [](const std::string& list) {
    return shell::known(follow("N=" + list + "; run ${#N[@]}").commands.at(0).at(1));
  };
  EXPECT_FALSE(length("($(scontrol show hostnames))"));
  EXPECT_EQ(length("(\"$(hostname)\" b)"), "2");
}

}  // namespace
}  // namespace pipewright::test
