#include "interop/shell/braces.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

// What is expected was printed by Bash 5.2: run() { printf '[%s]' "$@"; }.
TEST(ShellBraces, alternatives_are_words) {
  EXPECT_EQ(commands_of("run a{b,c}d x{,y} {1,{2,3}}"), "[run][abd][acd][x][xy][1][2][3]\n");
  EXPECT_EQ(commands_of("run {a,b}{1,2}"), "[run][a1][a2][b1][b2]\n");
  EXPECT_EQ(commands_of("A=7; run {${A},\"b c\"}x"), "[run][7x][b cx]\n");
}

TEST(ShellBraces, ranges_have_steps_and_leading_zeros) {
  EXPECT_EQ(commands_of("run {0..8..2} {3..1} {a..e..2}"),
            "[run][0][2][4][6][8][3][2][1][a][c][e]\n");
  EXPECT_EQ(commands_of("run {08..10} {-1..1} {10..0..-5}"),
            "[run][08][09][10][-1][0][1][10][5][0]\n");
  EXPECT_EQ(commands_of("for N in {1..3}; do run $N; done"), "[run][1]\n[run][2]\n[run][3]\n");
}

TEST(ShellBraces, others_are_characters) {
  EXPECT_EQ(commands_of("run {} {a} {1..} {1..x} a{b '{a,b}' \\{a,b} {a,b"),
            "[run][{}][{a}][{1..}][{1..x}][a{b][{a,b}][{a,b}][{a,b]\n");
  EXPECT_EQ(commands_of("N=4; run {1..$N} ${N} {a{b,c}}"), "[run][{1..4}][4][{ab}][{ac}]\n");
  EXPECT_EQ(commands_of("A={1,2}; run $A"), "[run][{1,2}]\n");
}

TEST(ShellBraces, too_many_words_are_an_error) {
  EXPECT_NE(error_of([] { follow("run {1..99999999}"); }).find("too many words"),
            std::string::npos);
  EXPECT_NE(error_of([] { follow("run {1..999}{1..999}"); }).find("too many words"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
