#include "convert/job/toml.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

TEST(Toml, is_a_document_that_knows_its_places) {
  const config::Value value = job::read_toml("[a]\nx = 1_000\ny = [true, \"z\"]\n", "t.toml");
  const config::Value& x = *value.find("a")->find("x");
  EXPECT_EQ(x.text, "1000");
  EXPECT_EQ(x.mark.line, 2);
  EXPECT_EQ(x.mark.column, 5);
  EXPECT_EQ(value.find("a")->find("y")->items[1].text, "z");
}

TEST(Toml, mistakes_are_named_where_they_stand) {
  EXPECT_EQ(error_of([] { job::read_toml("a = 1\nb = \n", "t.toml"); }).substr(0, 9), "t.toml:2:");
}

TEST(Toml, letters_outside_of_ascii_are_no_key_without_quotes) {
  EXPECT_EQ(error_of([] { job::read_toml("[a]\nd\xD0\x99 = 1\n", "t.toml"); }).substr(0, 9),
            "t.toml:2:");
  const config::Value value = job::read_toml("\"d\xD0\x99\" = \"\xC3\xA9\"\n", "t.toml");
  EXPECT_EQ(value.find("d\xD0\x99")->text, "\xC3\xA9");
}

}  // namespace
}  // namespace pipewright::test
