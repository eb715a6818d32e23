#include "interop/shell/sed.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

constexpr size_t most = 1000;

std::string filled(std::string_view script, std::string_view text, bool extended = false) {
  const auto all = shell::read_sed(shell::text_of(script, {}), extended);
  if (!all) return "not read";
  shell::Text result = shell::text_of(text, {});
  for (const shell::Substitution& one : *all) {
    const auto next = shell::substitute(result, one, most);
    if (!next) return "too long";
    result = *next;
  }
  return shell::written(result);
}

TEST(ShellSed, a_substitution_is_made_once_in_a_line_or_everywhere) {
  EXPECT_EQ(filled("s/a/X/", "a a\nb a a\n"), "X a\nb X a\n");
  EXPECT_EQ(filled("s/a/X/g", "a a\nb a a\n"), "X X\nb X X\n");
  EXPECT_EQ(filled("s/a/aa/g", "aa"), "aaaa");
  EXPECT_EQ(filled("s/b//; s/a/b/", "ab"), "b");
}

TEST(ShellSed, any_character_may_stand_between_the_parts) {
  EXPECT_EQ(filled("s|/data|/scratch/x|", "path /data"), "path /scratch/x");
  EXPECT_EQ(filled("s/a\\/b/c\\/d/", "a/b"), "c/d");
  EXPECT_EQ(filled("s,x\\.y,[&],", "x.y xzy"), "[x.y] xzy");
}

TEST(ShellSed, what_is_no_plain_text_is_not_read) {
  for (const char* script :
       {"s/a.*/b/", "s/^a/b/", "s/a$/b/", "s/[ab]/c/", "s/\\(a\\)/\\1/", "s/a/b/2", "s/a/b",
        "s//b/", "d", "/x/s/a/b/", "s/a/b/w file", "y/a/b/", "s/a/\\U&/", "s\\a\\b\\"})
    EXPECT_EQ(filled(script, "a"), "not read") << script;
  EXPECT_EQ(filled("s/(a)/b/", "(a)"), "b");
  EXPECT_EQ(filled("s/(a)/b/", "(a)", true), "not read");
}

TEST(ShellSed, what_is_not_known_stays_where_it_goes) {
  shell::Text script = shell::text_of("s/SIZE/", {});
  script.push_back(shell::text_of(shell::Unknown{"${N}", "N", true}, {}).front());
  script.push_back(shell::text_of("/", {}).front());
  const auto all = shell::read_sed(script, false);
  ASSERT_TRUE(all);
  const auto text = shell::substitute(shell::text_of("a: SIZE\n", {}), all->front(), most);
  ASSERT_TRUE(text);
  EXPECT_EQ(shell::written(*text), "a: ${N}\n");
  EXPECT_EQ(shell::unknown_in(*text)->name, "N");
}

TEST(ShellSed, a_text_does_not_grow_without_end) {
  EXPECT_EQ(filled("s/a/" + std::string(600, 'a') + "/g", "aa"), "too long");
}

}  // namespace
}  // namespace pipewright::test
