#include "interop/shell_words.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// Words in brackets, commands on lines.
std::string read(const std::string& text) {
  std::string all;
  for (const shell::Command& command : shell::commands(text, "run.sh")) {
    for (const shell::Word& word : command) all += '[' + word.text + ']';
    all += '\n';
  }
  return all;
}

TEST(ShellWords, commands_end_with_their_line_unless_it_is_continued) {
  EXPECT_EQ(read("a b\nc \\\n  d; e\n"), "[a][b]\n[c][d]\n[e]\n");
}

TEST(ShellWords, quotes_keep_spaces_and_comments_are_no_words) {
  EXPECT_EQ(read("# no\na 'b c' \"d # e\" # f\n"), "[a][b c][d # e]\n");
}

TEST(ShellWords, variables_and_arrays_stand_for_their_words) {
  EXPECT_EQ(read("N=4\nARGS=(\n  --a $N # four\n  --b \"${N}x\"\n)\nrun ${ARGS[@]}\n"),
            "[run][--a][4][--b][4x]\n");
  EXPECT_EQ(read("A=\"--x 1 --y 2\"\nrun $A\n"), "[run][--x][1][--y][2]\n");
  EXPECT_EQ(read("run ${M:-7} $unknown\n"), "[run][7][$unknown]\n");
}

TEST(ShellWords, words_know_their_place) {
  const auto commands = shell::commands("a\n  b c\n", "run.sh");
  EXPECT_EQ(commands[1][1].line, 2);
  EXPECT_EQ(commands[1][1].column, 5);
}

TEST(ShellWords, what_is_not_closed_is_named) {
  EXPECT_EQ(error_of([] { read("a\nb 'c"); }), "run.sh:2:3: error: this quote is not closed");
  EXPECT_EQ(error_of([] { read("A=(b"); }), "run.sh:1:3: error: this '(' is not closed");
}

TEST(ShellWords, words_do_not_grow_without_end) {
  std::string bomb = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 40; ++i) bomb += "A=$A$A\n";
  EXPECT_NE(error_of([&] { read(bomb); }).find("too long"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
