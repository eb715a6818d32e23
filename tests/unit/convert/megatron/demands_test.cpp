#include "convert/megatron/demands.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

std::string stop(const std::string& more, const std::string& from = {},
                 const std::string& to = {}) {
  std::string yaml = small_experiment;
  if (!from.empty()) yaml.replace(yaml.find(from), from.size(), to);
  return error_of([&] { megatron::check_demands(experiment_of(yaml + more), true); });
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(MegatronDemands, a_plain_job_starts) { EXPECT_EQ(stop(""), "no error"); }

// validate_args of megatron/training/arguments.py stops for each.
TEST(MegatronDemands, what_the_framework_asserts_is_a_misfit) {
  EXPECT_TRUE(has(stop("overlap: {data: false, weights: true}\n"), "overlap.data must be true"));
  EXPECT_TRUE(has(stop("overlap: {tensor: chunked}\n"), "parallel.sequence must be true"));
  EXPECT_TRUE(has(stop("precision: fp8\nweights: fp8\n", "zero: 1", "zero: 0"),
                  "parallel.zero must be 1 or more"));
  EXPECT_TRUE(has(stop("optimizer: muon\n", "zero: 1", "zero: 2"), "Adam and SGD only"));
}

// Frameworks that make configurations themselves gather weights beside whole gradients.
TEST(MegatronDemands, assertions_about_arguments_are_of_arguments) {
  EXPECT_NO_THROW(megatron::check_demands(
      experiment_of(small_experiment + "overlap: {data: false, weights: true}\n"), false));
}

// Four heads are not cut over eight ranks.
TEST(MegatronDemands, heads_are_whole) {
  EXPECT_TRUE(has(stop("", "tensor: 2, pipeline: 4, data: 2", "tensor: 8, pipeline: 2, data: 1"),
                  "whole heads"));
}

TEST(MegatronDemands, formats_of_blocks_are_of_devices_since_blackwell) {
  const std::string format = "precision: {fp8: mxfp8}\n";
  EXPECT_TRUE(has(stop(format), "MXFP8 only on devices since Blackwell"));
  EXPECT_EQ(stop(format, "dgx-h100", "dgx-b200"), "no error");
  EXPECT_EQ(stop("precision: {fp8: blockwise}\n"), "no error");
}

TEST(MegatronDemands, experts_with_biases_are_whole) {
  const std::string to = "bias: true, gated: true, experts: {count: 4, ffn: 256}";
  EXPECT_TRUE(has(stop("", "gated: true", to), "parallel.expert_tensor must be 1"));
}

}  // namespace
}  // namespace pipewright::test
