#include "interop/python/expression_reader.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "interop/python/reader.hpp"

namespace pipewright::test {
namespace {

using interop::python::Expression;

std::string shape(const Expression& e) {
  if (e.parts.empty()) return e.text.empty() ? e.written() : e.text;
  std::string text = e.text + "(";
  for (const Expression& part : e.parts) text += (text.ends_with('(') ? "" : " ") + shape(part);
  return text + ")";
}
std::string shape_of(const std::string& text) {
  return shape(interop::python::read_expression(text, "run.py"));
}

TEST(PythonExpressionReader, operators_bind_as_in_python) {
  EXPECT_EQ(shape_of("a + b * c ** -d"), "+(a *(b **(c -(d))))");
  EXPECT_EQ(shape_of("not a or b and c"), "or(not(a) and(b c))");
  EXPECT_EQ(shape_of("a < b <= c"), "(a b c)");
  EXPECT_EQ(shape_of("a not in b"), "not in(a b)");
  EXPECT_EQ(shape_of("x if c else y"), "(c x y)");
  EXPECT_EQ(shape_of("1, 2"), "(1 2)");
}

TEST(PythonExpressionReader, what_is_no_expression_stays_as_it_is) {
  EXPECT_EQ(interop::python::read_expression("a b", "run.py").kind, Expression::Kind::opaque);
}

TEST(PythonExpressionReader, depth_has_an_end) {
  const std::string deep = std::string(500, '(') + "1" + std::string(500, ')');
  EXPECT_NE(error_of([&] { interop::python::read_program(deep, "run.py"); }).find("too deeply"),
            std::string::npos);
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_NE(error_of([&] { interop::python::read_program(sum, "run.py"); }).find("too many parts"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
