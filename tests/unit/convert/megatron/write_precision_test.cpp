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

TEST(MegatronWritePrecision, a_format_that_the_model_says_stands_over_the_recipes) {
  const auto precision = [](const std::string& scaling) {
    return lines_of(megatron::write_precision,
                    "model: {transformer: {layers: 6, hidden: 256, heads: 4, vocabulary: 1024},\n"
                    "        constants: {fp8_format: e4m3}}\n"
                    "cluster: {node: dgx-h100, nodes: 1}\nschedule: 1f1b\n"
                    "batch: {global: 16, micro: 1, sequence: 128}\nprecision: {fp8: " +
                        scaling + "}\n");
  };
  EXPECT_EQ(precision("tensorwise"), "--bf16\n--fp8-format e4m3\n--fp8-recipe tensorwise\n");
  EXPECT_EQ(precision("mxfp8"), "--bf16\n--fp8-format e4m3\n--fp8-recipe mxfp8\n");
}

}  // namespace
}  // namespace pipewright::test
