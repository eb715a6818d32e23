#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWritePrecision, each_format_has_its_recipe) {
  const auto precision = [](const std::string& value) {
    return lines_of(megatron::write_precision, small_experiment + "precision: " + value + "\n");
  };
  EXPECT_EQ(precision("bf16"), "--bf16\n");
  EXPECT_EQ(precision("{fp8: delayed}"), "--bf16\n--fp8-format hybrid\n--fp8-recipe delayed\n");
  EXPECT_EQ(precision("{fp8: mxfp8}"), "--bf16\n--fp8-format e4m3\n--fp8-recipe mxfp8\n");
}

}  // namespace
}  // namespace pipewright::test
