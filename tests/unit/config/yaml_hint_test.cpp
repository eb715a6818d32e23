#include "config/yaml_hint.hpp"

#include <gtest/gtest.h>

namespace pipewright::config {
namespace {

TEST(YamlHint, a_tab_is_named_with_its_line) {
  EXPECT_EQ(yaml_hint("a:\n\tb: 1\n", 2, "illegal map value"),
            "; line 2 is indented with a tab, where YAML wants spaces");
  EXPECT_EQ(yaml_hint("a:\n  b:\t1\n", 2, "anything"), "");
}

TEST(YamlHint, a_bracket_that_nothing_closes_is_named) {
  EXPECT_EQ(yaml_hint("a: {b: [1],\n  c: '}'  # }\nd: 1\n", 3, "end of map flow not found"),
            "; the '{' of line 1 needs its '}'");
  EXPECT_EQ(yaml_hint("a: {b: [1,\n", 1, "end of sequence flow not found"),
            "; the '[' of line 1 needs its ']'");
}

TEST(YamlHint, a_value_that_looks_like_a_key_is_explained) {
  EXPECT_NE(yaml_hint("a: b: c\n", 1, "illegal map value").find("needs quotes"), std::string::npos);
}

TEST(YamlHint, bytes_of_zero_are_no_text) {
  EXPECT_TRUE(is_binary(std::string_view("PK\0", 3)));
  EXPECT_FALSE(is_binary("a: 1"));
  EXPECT_FALSE(
      is_binary(std::string_view("\xff\xfe"
                                 "a\0",
                                 4)));  // UTF-16
}

}  // namespace
}  // namespace pipewright::config
