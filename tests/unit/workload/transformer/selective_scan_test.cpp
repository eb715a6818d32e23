// Mamba 1 by hand: h = 64, D = 128 channels of N = 16, a step of rank r = 8.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::selective_scan {
namespace {

constexpr double h = 64, D = 128, N = 16, r = 8, taps = 4, made = r + 2 * N;
constexpr double b = 2, s = 64;

std::vector<Layer> mamba(WorkloadOptions options = {}, const std::string& norm = "none") {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(
      transformer("{layers: 1, hidden: 64, vocabulary: 100, bias: false, norm: rmsnorm, positions: "
                  "none, mixers: selective-scan, feeds: none, selective_scan: {inner: 128, state: "
                  "16, rank: 8, norm: " +
                  norm + "}}"),
      options);
}

// x and z come of one product; the convolution has a bias; the step has one a channel; A is N
// numbers a channel and D one; the block's norm has h gains.
TEST(SelectiveScan, has_the_parameters_of_the_paper) {
  const double scan = D * made + (r + 1) * D + D * (N + 1);
  EXPECT_DOUBLE_EQ(mamba()[1].parameters, h * 2 * D + D * (taps + 1) + scan + D * h + h);
  EXPECT_DOUBLE_EQ(mamba({}, "gains")[1].parameters, mamba()[1].parameters + made);
  EXPECT_DOUBLE_EQ(mamba({}, "unit")[1].parameters, mamba()[1].parameters);
}

// Nine FLOPs a channel and number of state; the backward pass makes convolution, step and scan once
// more, and two products for each.
TEST(SelectiveScan, has_the_flops_of_the_scan) {
  const double tokens = b * s, scan = 9 * tokens * D * N, convolution = 2 * tokens * D * taps;
  const double step = 2 * tokens * r * D;
  const double products = 2 * tokens * (h * 2 * D + D * made + D * h) + step;
  EXPECT_DOUBLE_EQ(flops({mamba()[1]}, &Layer::forward), products + convolution + scan);
  EXPECT_DOUBLE_EQ(flops({mamba()[1]}, &Layer::input_gradient),
                   products + step + 2 * convolution + 3 * scan);
  EXPECT_DOUBLE_EQ(mamba()[1].model_flops, products + convolution + scan);
}

// What the product of x and z gives, the step with B and C, and what goes into the last product are
// kept, beside the norm's input and output; convolution and step are not.
TEST(SelectiveScan, keeps_what_its_backward_pass_reads) {
  EXPECT_EQ(mamba()[1].stash.count, static_cast<int64_t>(b * s * 2 * (2 * h + 2 * D + made + D)));
}

// Channels are cut; the step, B and C are sums over the ranks, and so are their gradients.
TEST(SelectiveScan, tensor_ranks_share_channels) {
  const Layer whole = mamba()[1], half = mamba({.tensor = 2})[1];
  EXPECT_DOUBLE_EQ(half.device_parameters - h, (whole.device_parameters - h) / 2);
  EXPECT_DOUBLE_EQ(flops({half}, &Layer::forward), flops({whole}, &Layer::forward) / 2);
  const auto sums = collectives(half.forward);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].bytes.count, static_cast<int64_t>(b * s * 2 * made));
  EXPECT_EQ(collectives(half.input_gradient).size(), 2u);
  EXPECT_EQ(error_of([] { mamba({.tensor = 3}); }),
            "error: tensor 3 must divide selective_scan.inner 128");
}

TEST(SelectiveScan, the_state_is_not_cut_in_context) {
  EXPECT_EQ(error_of([] { mamba({.context = 2}); }),
            "error: context must be 1: state-space, recurrent and linear attention blocks pass a "
            "state from token to token");
}

}  // namespace
}  // namespace pipewright::test::selective_scan
