#include "interop/shell/tokens.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

shell::Place start() { return {std::make_shared<const std::string>("run.sh"), 1, 1}; }

TEST(ShellTokens, a_word_is_seen_whole) {
  shell::Cursor cursor("iffy if; then", start());
  shell::Tokens in(cursor, 0);
  EXPECT_FALSE(in.sees_word("if"));
  in.expect("iffy", start());
  in.pass_blanks();
  EXPECT_TRUE(in.sees_any({"fi", "if"}));
}

TEST(ShellTokens, comments_and_lines_that_go_on_are_blanks) {
  shell::Cursor cursor(" \\\n\t# no\n x", start());
  shell::Tokens in(cursor, 0);
  in.pass_blanks();
  EXPECT_EQ(cursor.peek(), '\n');
  in.pass_space();
  EXPECT_EQ(cursor.place().line, 3);
  EXPECT_EQ(cursor.place().column, 2);
}

TEST(ShellTokens, what_is_missing_is_named_where_it_should_be) {
  shell::Cursor cursor("a b", start());
  shell::Tokens in(cursor, 0);
  EXPECT_EQ(in.word().parts.front().text, "a");
  EXPECT_EQ(error_of([&] { in.expect("do", start()); }), "run.sh:1:3: error: 'do' is missing");
}

}  // namespace
}  // namespace pipewright::test
