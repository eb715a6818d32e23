// Mamba 2 by hand: h = 64, H = 8 heads of P = 16, N = 32, G = 2 groups, a chunk of Q = 16.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::state_space {
namespace {

constexpr double h = 64, H = 8, P = 16, N = 32, G = 2, Q = 16, inner = H * P;
constexpr double convolved = inner + 2 * G * N, taps = 4;
constexpr double b = 2, s = 64;

std::vector<Layer> mamba(WorkloadOptions options = {}) {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(transformer("{layers: 1, hidden: 64, vocabulary: 100, bias: false, norm: "
                               "rmsnorm, positions: none, mixers: state-space, feeds: none, "
                               "state_space: {heads: 8, head_dim: 16, state: 32, groups: 2, chunk: "
                               "16}}"),
                   options);
}

// z, x, B, C and a step a head come of one product; A, D and the step's bias are one a head; the
// convolution has a bias; the gated norm has a gain a number.
TEST(StateSpace, has_the_parameters_of_the_paper) {
  const double in = inner + convolved + H;
  EXPECT_DOUBLE_EQ(mamba()[1].parameters,
                   h * in + (taps + 1) * convolved + 3 * H + inner + inner * h + h);
}

// For each chunk: C B^T, the states, and what both give out; the rest are products with weights.
TEST(StateSpace, has_the_products_of_the_chunked_algorithm) {
  const double tokens = b * s, chunks = tokens / Q;
  const double scores = 2 * Q * Q * N * G, states = 2 * Q * P * N * H,
               out = 2 * Q * (Q + N) * P * H;
  const double projections = 2 * tokens * (h * (inner + convolved + H) + inner * h);
  const double convolution = 2 * tokens * convolved * taps;
  EXPECT_DOUBLE_EQ(flops({mamba()[1]}, &Layer::forward),
                   projections + convolution + chunks * (scores + states + out));
  EXPECT_DOUBLE_EQ(flops({mamba()[1]}, &Layer::input_gradient),
                   projections + convolution + chunks * (3 * scores + 3 * states + 2 * out));
}

/// A block with attention, a scan or both.
Layer beside(const std::string& mixer, WorkloadOptions options = {}) {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, positions: rope, feeds: none, mixers: [" +
                               mixer +
                               ", full], state_space: {heads: 8, head_dim: 16, state: 32, groups: "
                               "2, chunk: 16, norm: false}}"),
                   options)[1];
}

// Side by side they have one norm, one region, and the work of both.
TEST(StateSpace, may_stand_beside_attention) {
  const Layer both = beside("full-and-state-space"), attention = beside("full"),
              scan = beside("state-space");
  EXPECT_DOUBLE_EQ(both.parameters, attention.parameters + scan.parameters - h);
  EXPECT_DOUBLE_EQ(both.model_flops, attention.model_flops + scan.model_flops);
  EXPECT_DOUBLE_EQ(
      flops({both}, &Layer::input_gradient),
      flops({attention}, &Layer::input_gradient) + flops({scan}, &Layer::input_gradient));
  EXPECT_EQ(collectives(beside("full-and-state-space", {.tensor = 2}).forward).size(),
            collectives(beside("full", {.tensor = 2}).forward).size());
}

// Without a norm there are no gains.
TEST(StateSpace, may_have_no_norm) {
  EXPECT_DOUBLE_EQ(mamba()[1].parameters - beside("state-space").parameters, inner);
}

// Megatron-LM counts 7 N for each of the inner numbers of a token.
TEST(StateSpace, counts_the_scan_as_Megatron_does) {
  const double tokens = b * s;
  EXPECT_DOUBLE_EQ(mamba()[1].model_flops,
                   2 * tokens * (h * (inner + convolved + H) + inner * h + convolved * taps) +
                       7 * tokens * inner * N);
}

TEST(StateSpace, tensor_ranks_share_heads_and_groups) {
  const Layer whole = mamba()[1], half = mamba({.tensor = 2})[1];
  EXPECT_DOUBLE_EQ(half.device_parameters - h, (whole.device_parameters - h) / 2);
  EXPECT_DOUBLE_EQ(flops({half}, &Layer::forward), flops({whole}, &Layer::forward) / 2);
  EXPECT_EQ(collectives(half.forward).size(), 1u);
  EXPECT_EQ(error_of([] { mamba({.tensor = 4}); }),
            "error: tensor 4 must divide state_space.groups 2");
}

TEST(StateSpace, the_state_is_not_cut_in_context) {
  EXPECT_EQ(error_of([] { mamba({.context = 2}); }),
            "error: context must be 1: state-space, recurrent and linear attention blocks pass a "
            "state from token to token");
}

// Kept of a token in 16 bits: what the block and the norm give, z, x, B, C and the steps, the
// convolution's output, the core's and the gated norm's.
TEST(StateSpace, keeps_what_its_backward_pass_reads) {
  const double a_token = 2 * (2 * h + inner + convolved + H + convolved + 2 * inner);
  EXPECT_EQ(mamba()[1].stash.count, static_cast<int64_t>(b * s * a_token));
}

}  // namespace
}  // namespace pipewright::test::state_space
