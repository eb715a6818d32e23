#include "interop/shell/arithmetic.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "run_script.hpp"

namespace pipewright::test {
namespace {

std::string result(const std::string& expression) {
  return commands_of("N=8; r $((" + expression + "))");
}

TEST(ShellArithmetic, is_that_of_integers) {
  EXPECT_EQ(result("2 + 3 * 4"), "[r][14]\n");
  EXPECT_EQ(result("(2 + 3) * 4 / 3 % 4"), "[r][2]\n");
  EXPECT_EQ(result("2 ** 3 ** 2"), "[r][512]\n");
  EXPECT_EQ(result("N > 4 ? N / 2 : -N"), "[r][4]\n");
  EXPECT_EQ(result("1 << 4 | 1"), "[r][17]\n");
  EXPECT_EQ(result("!N || N == 8 && 3 >= 3"), "[r][1]\n");
  EXPECT_EQ(result("0x10 + 010"), "[r][24]\n");
  EXPECT_EQ(commands_of("i=1; ((i += 4)); ((i++)); r $i"), "[r][6]\n");
}

TEST(ShellArithmetic, elements_of_lists_are_numbers) {
  EXPECT_EQ(commands_of("t=(2 30); r $((t[0]*60 + t[ 1 ] - 15))"), "[r][135]\n");
  EXPECT_EQ(commands_of("t=(2 30 4); i=1; r $((t[i+1] + t[-2] + t[7]))"), "[r][34]\n");
  EXPECT_EQ(commands_of("declare -A m; m[a]=5; r $((m[a] + 1))"), "[r][6]\n");
  EXPECT_EQ(commands_of("read -a t; r $((t[1] + 1))").find("[1]"), std::string::npos);
}

TEST(ShellArithmetic, errors_name_the_expression) {
  EXPECT_NE(error_of([] { commands_of("t=(1); r $((t[0 + 1))"); }).find("lacks a ']'"),
            std::string::npos);
  EXPECT_NE(error_of([] { commands_of("x='a[x]'; a=(1); r $((x))"); }).find("too deeply"),
            std::string::npos);
  EXPECT_NE(error_of([] { result("1 / 0"); }).find("divides by zero"), std::string::npos);
  EXPECT_NE(error_of([] { result("1 +"); }).find("lacks a number"), std::string::npos);
  EXPECT_NE(error_of([] { result("12x"); }).find("'12x' for a number"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
