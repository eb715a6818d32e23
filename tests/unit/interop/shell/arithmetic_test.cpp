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

TEST(ShellArithmetic, errors_name_the_expression) {
  EXPECT_NE(error_of([] { result("1 / 0"); }).find("divides by zero"), std::string::npos);
  EXPECT_NE(error_of([] { result("1 +"); }).find("lacks a number"), std::string::npos);
  EXPECT_NE(error_of([] { result("12x"); }).find("'12x' for a number"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
