#include "interop/python/target_reader.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using interop::python::Expression;

Expression targets_of(const std::string& text) {
  const std::string file = "run.py";
  interop::python::TokenStream tokens(text, file);
  return interop::python::targets_in(tokens);
}

TEST(PythonTargetReader, targets_end_before_in) {
  EXPECT_EQ(targets_of("a in b").kind, Expression::Kind::name);
  EXPECT_EQ(targets_of("a, in b").kind, Expression::Kind::list);
  EXPECT_EQ(targets_of("a.b in c").kind, Expression::Kind::attribute);
  const Expression several = targets_of("a, (b, *c) in d");
  ASSERT_EQ(several.parts.size(), 2U);
  EXPECT_EQ(several.parts[1].parts[1].kind, Expression::Kind::starred);
}

TEST(PythonTargetReader, what_is_no_target) {
  EXPECT_EQ(error_of([] { targets_of("1 in a"); }), "run.py:1:1: error: a name should stand here");
}

}  // namespace
}  // namespace pipewright::test
