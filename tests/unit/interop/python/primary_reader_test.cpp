#include <gtest/gtest.h>

#include "interop/python/reader.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

using interop::python::Expression;

Expression::Kind kind_of(const std::string& text) {
  return interop::python::read_expression(text, "run.py").kind;
}

TEST(PythonPrimaryReader, kinds) {
  EXPECT_EQ(kind_of("a.b(c, d=1)[0]"), Expression::Kind::subscript);
  EXPECT_EQ(kind_of("{'a': 1, **b}"), Expression::Kind::dictionary);
  EXPECT_EQ(kind_of("{1, 2}"), Expression::Kind::list);
  EXPECT_EQ(kind_of("(1)"), Expression::Kind::integer);
  EXPECT_EQ(kind_of("1e3"), Expression::Kind::real);
}

TEST(PythonPrimaryReader, what_makes_lists_and_texts) {
  EXPECT_EQ(kind_of("[a for a in b]"), Expression::Kind::comprehension);
  EXPECT_EQ(kind_of("{a: b for a in c if a if b for d in a}"), Expression::Kind::comprehension);
  EXPECT_EQ(kind_of("lambda a, *b, c=1: (a, b)"), Expression::Kind::lambda);
  EXPECT_EQ(kind_of("f'{a}' 'b'"), Expression::Kind::formatted);
  EXPECT_EQ(kind_of("f'{{a}}'"), Expression::Kind::text);
}

TEST(PythonPrimaryReader, what_is_not_followed_is_opaque) {
  EXPECT_EQ(kind_of("..."), Expression::Kind::opaque);
  EXPECT_EQ(value_in_python("[g(x for x in y if x), a[1:2, ::3], f'{a:.2f}', 3]"),
            "[g(?x for x in y if x), ?a[1:2, ::3], ?f'{a:.2f}', 3]");
}

// Slices behind commas are of an array, of which nothing is known.
TEST(PythonPrimaryReader, slices_of_arrays_are_passed_over) {
  for (const char* slices : {":, 1:", "0, :", ":, :-1, :", "..., 1:2"})
    EXPECT_EQ(value_in_python("[x[" + std::string(slices) + "], 2]"),
              "[?x[" + std::string(slices) + "], 2]");
}

}  // namespace
}  // namespace pipewright::test
