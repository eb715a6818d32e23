#include "interop/python/syntax.hpp"

#include <gtest/gtest.h>

#include "interop/python/reader.hpp"

namespace pipewright::test {
namespace {

std::string written_in_python(const std::string& text) {
  return interop::python::read_expression(text, "run.py").written();
}

TEST(PythonSyntax, an_expression_is_written_as_it_stands) {
  EXPECT_EQ(written_in_python("a +  b "), "a +  b");
}

// It is for messages. A character of two bytes is not cut.
TEST(PythonSyntax, only_the_beginning_of_what_is_long) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u00e9";
  EXPECT_EQ(written_in_python("b + '" + text + "'"), "b + '" + text.substr(0, 194) + "...");
}

}  // namespace
}  // namespace pipewright::test
