#include "interop/python/reader.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using interop::python::Statement;

std::vector<Statement> read(const std::string& text) {
  return interop::python::read_program(text, "run.py");
}

TEST(PythonReader, blocks_are_nested) {
  const auto program = read(
      "@decorated(1)\nasync def f(a: int, *, b: str = 'x', **c) -> A.B:\n  if a:\n    pass\n  elif "
      "b:\n    return 1\n  else:\n    return 2\nclass C(D, e=F):\n  x: int = 1\n");
  ASSERT_EQ(program.size(), 2U);
  EXPECT_EQ(program[0].parameters.size(), 4U);
  EXPECT_EQ(program[0].parameters[3].rest, "**");
  ASSERT_EQ(program[0].body.size(), 1U);
  EXPECT_EQ(program[0].body[0].otherwise[0].otherwise.size(), 1U);
  EXPECT_EQ(program[1].kind, Statement::Kind::name_class);
}

TEST(PythonReader, loops_and_withs) {
  const auto program = read(
      "for i, (a, b) in c: d\nelse: e\nwhile True:\n  break\nwith open(a) as b, c: d\ntry:\n  "
      "a\nexcept (A, B) as e:\n  b\nfinally:\n  c\n");
  ASSERT_EQ(program.size(), 5U);
  EXPECT_EQ(program[0].expressions[0].parts.size(), 2U);
  ASSERT_EQ(program[2].expressions.size(), 4U);
  EXPECT_EQ(program[2].expressions[1].text, "b");
  EXPECT_EQ(program[2].expressions[3].kind, interop::python::Expression::Kind::none);
  EXPECT_EQ(program[3].otherwise.size(), 1U);
}

TEST(PythonReader, errors_say_where) {
  EXPECT_EQ(error_of([] { read("a = 1\ndef f(:\n  pass\n"); }),
            "run.py:2:7: error: a name should stand here");
  EXPECT_EQ(error_of([] { read("if a:\nb\n"); }),
            "run.py:2:1: error: an indented block should stand here");
  EXPECT_EQ(error_of([] { read("with (a"); }), "run.py:1:8: error: ')' should stand here");
  EXPECT_EQ(error_of([] { read("a b\n"); }), "run.py:1:3: error: the line should end here");
}

}  // namespace
}  // namespace pipewright::test
