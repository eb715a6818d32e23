#include "interop/shell/expansion_reader.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

std::optional<shell::Part> expansion(const std::string& text) {
  shell::Cursor cursor(text, {std::make_shared<const std::string>("run.sh"), 1, 1});
  return shell::read_expansion(cursor, 0, false);
}

TEST(ShellExpansionReader, a_parameter_has_a_name_an_index_and_an_operation) {
  EXPECT_EQ(expansion("$AB-c")->parameter.name, "AB");
  EXPECT_EQ(expansion("$12")->parameter.name, "1");
  EXPECT_EQ(expansion("$@x")->text, "$@");
  const std::optional<shell::Part> part = expansion("${#A[1]:-b}c");
  EXPECT_EQ(part->text, "${#A[1]:-b}");
  EXPECT_EQ(part->parameter.sigil, '#');
  EXPECT_TRUE(part->parameter.indexed);
  EXPECT_EQ(part->parameter.operation, ":-");
  EXPECT_EQ(part->parameter.argument.front().parts.front().text, "b");
}

TEST(ShellExpansionReader, commands_and_arithmetic_are_told_apart) {
  EXPECT_EQ(expansion("$(a $(b))")->kind, shell::Part::Kind::command);
  EXPECT_EQ(expansion("$((1 + (2)))")->kind, shell::Part::Kind::arithmetic);
  EXPECT_FALSE(expansion("$ a"));
}

// A backslash of `...` stands before $, ` and itself, and inside "..." before a quote.
TEST(ShellExpansionReader, other_backslashes_between_backquotes_are_of_the_command) {
  EXPECT_EQ(commands_of("run `echo \\(a\\) \\$HOME`\n",
                        {.given = {{"HOME", "h"}}, .preset = {}, .read = {}, .decisions = {}}),
            "[run][(a)][h]\n");
  EXPECT_EQ(commands_of("run \"`echo \\\"b  c\\\"`\"\n"), "[run][b  c]\n");
  EXPECT_EQ(commands_of("run `echo a\\`echo b\\``\n"), "[run][ab]\n");
}

TEST(ShellExpansionReader, what_is_not_closed_is_named) {
  EXPECT_EQ(error_of([] { expansion("$((1"); }), "run.sh:1:1: error: this '$((' is not closed");
  EXPECT_EQ(error_of([] { expansion("${A"); }), "run.sh:1:4: error: a '}' is missing");
  EXPECT_EQ(error_of([] { expansion("${A x}"); }),
            "run.sh:1:1: error: this is no expansion that Bash knows");
}

}  // namespace
}  // namespace pipewright::test
