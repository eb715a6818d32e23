#include "interop/python/tokens.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using interop::python::Token;

std::string kinds(const std::string& source) {
  std::string out;
  for (const Token& token : interop::python::tokens_of(source, "run.py")) {
    constexpr std::string_view letters = "n1t.l>< ";
    out += letters[static_cast<size_t>(token.kind)];
  }
  return out;
}

TEST(PythonTokens, lines_in_brackets_are_one) { EXPECT_EQ(kinds("f(1,\n  'a')\n"), "n.1.t.l "); }

TEST(PythonTokens, blocks_begin_and_end) {
  EXPECT_EQ(kinds("if x:\n  a\n\n  # no\nb"), "nn.l>nl<nl ");
}

TEST(PythonTokens, texts_lose_their_quotes) {
  const auto tokens = interop::python::tokens_of("'''a\nb''' r'\\d' \"x\\ny\" f'{z}'", "run.py");
  EXPECT_EQ(tokens[0].text, "a\nb");
  EXPECT_EQ(tokens[1].text, "\\d");
  EXPECT_EQ(tokens[2].text, "x\ny");
  EXPECT_TRUE(tokens[3].formatted);
  EXPECT_EQ(tokens[3].line, 2);
}

TEST(PythonTokens, codes_of_characters_and_a_byte_order_mark) {
  const auto tokens =
      interop::python::tokens_of("\xEF\xBB\xBF'\\x41\\101\\u00e9' '\\xZ'", "run.py");
  EXPECT_EQ(tokens[0].text, "AA\xC3\xA9");
  EXPECT_EQ(tokens[0].column, 1);
  EXPECT_EQ(tokens[1].text, "\\xZ");
}

TEST(PythonTokens, what_is_no_python_is_an_error_at_its_place) {
  const auto read = [](const std::string& text) {
    return error_of([&] { interop::python::tokens_of(text, "run.py"); });
  };
  EXPECT_EQ(read("a\nb = 'x"), "run.py:2:5: error: this text has no end");
  EXPECT_EQ(read("a = $b"), "run.py:1:5: error: this character is no part of Python");
  EXPECT_EQ(read("if a:\n    b\n  c"),
            "run.py:3:3: error: this line is indented as no block before it");
}

}  // namespace
}  // namespace pipewright::test
