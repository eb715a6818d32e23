#include <gtest/gtest.h>

#include "error_of.hpp"
#include "interop/python/reader.hpp"

namespace pipewright::test {
namespace {

using interop::python::Statement;

std::vector<Statement> branches_read(const std::string& text) {
  return interop::python::read_program(text, "run.py");
}

TEST(PythonBranchReader, cases_are_choices) {
  const auto program =
      branches_read("match a:\n  case 1:\n    b\n  case [x] if x > 1:\n    c\n  case _:\n    d\n");
  ASSERT_EQ(program.size(), 2U);
  EXPECT_EQ(program[1].kind, Statement::Kind::choose);
  EXPECT_EQ(program[1].otherwise[0].expressions[0].kind, interop::python::Expression::Kind::opaque);
}

TEST(PythonBranchReader, what_may_raise) {
  const auto program = branches_read("try:\n  a\nexcept A:\n  b\nelse:\n  c\nfinally:\n  d\n");
  ASSERT_EQ(program.size(), 2U);
  EXPECT_EQ(program[0].body.size(), 2U);
  EXPECT_EQ(program[0].text, "except");
}

TEST(PythonBranchReader, an_end_to_branches) {
  std::string text = "if a: b\n";
  for (int i = 0; i < 100; ++i) text += "elif a: b\n";
  EXPECT_NE(error_of([&] { branches_read(text); }).find("too many branches"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
