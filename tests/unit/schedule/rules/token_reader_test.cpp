// Going through the words of a rules file one by one.
#include "schedule/rules/token_reader.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "text_of.hpp"

namespace pipewright::schedule::rules {
namespace {

using test::error_of;

TEST(TokenReader, goes_on_only_over_what_it_accepts) {
  const config::Value text = text_of("a + 12");
  TokenReader reader(text);
  EXPECT_FALSE(reader.accept("b"));
  EXPECT_TRUE(reader.accept("a"));
  reader.expect("+");
  EXPECT_EQ(reader.take().number, 12);
  EXPECT_TRUE(reader.at_end());
}

TEST(TokenReader, stays_at_the_end) {
  const config::Value text = text_of("a");
  TokenReader reader(text);
  reader.take();
  EXPECT_EQ(reader.take().kind, Token::Kind::end);
  EXPECT_EQ(reader.take().kind, Token::Kind::end);
  EXPECT_FALSE(reader.accept(""));
}

TEST(TokenReader, names_the_character_where_something_else_is_expected) {
  const config::Value text = text_of("a b");
  TokenReader reader(text);
  reader.take();
  EXPECT_EQ(error_of([&] { reader.expect("("); }),
            "r.yaml:3:9: error: 'b' stands where '(' is expected");
}

TEST(TokenReader, reads_scalars_only) {
  const config::Value list = config::parse("[a]", "r.yaml");
  EXPECT_EQ(error_of([&] { TokenReader{list}; }), "r.yaml:1:1: error: must be an expression");
}

}  // namespace
}  // namespace pipewright::schedule::rules
