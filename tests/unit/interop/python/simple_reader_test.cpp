#include <gtest/gtest.h>

#include "interop/python/reader.hpp"

namespace pipewright::test {
namespace {

using interop::python::Statement;

Statement only(const std::string& text) {
  const auto all = interop::python::read_program(text, "run.py");
  return all.size() == 1 ? all.front() : Statement{};
}

TEST(PythonSimpleReader, assignments) {
  EXPECT_EQ(only("a = b = 1").expressions.size(), 3U);
  EXPECT_EQ(only("a.b: int = 1").kind, Statement::Kind::assign);
  EXPECT_EQ(only("a //= 2").text, "//");
  EXPECT_EQ(only("a: int").kind, Statement::Kind::declare);
  EXPECT_EQ(only("a: int").names, std::vector<std::string>{"a"});
}

TEST(PythonSimpleReader, imports) {
  EXPECT_EQ(only("from ..a.b import (c as d, e,)").text, "..a.b");
  EXPECT_EQ(only("from . import x").names, (std::vector<std::string>{"x", "x"}));
  EXPECT_EQ(only("from .a import *").names, (std::vector<std::string>{"*", "*"}));
  EXPECT_EQ(only("import a.b as c").names, (std::vector<std::string>{"", "c"}));
}

TEST(PythonSimpleReader, what_says_nothing_is_left_out) {
  EXPECT_TRUE(interop::python::read_program("pass; assert a, 'b'\n", "run.py").empty());
}

}  // namespace
}  // namespace pipewright::test
