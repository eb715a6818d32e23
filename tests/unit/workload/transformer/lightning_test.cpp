// Lightning attention by hand: h = 64, a = 4 heads of d = 16, a sequence of two chunks of 256.
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::test::lightning {
namespace {

constexpr double h = 64, a = 4, d = 16, width = a * d, Q = 256, s = 512;

std::vector<Layer> lightning(WorkloadOptions options = {}) {
  options.sequence = 512;
  return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, positions: rope, mixers: lightning, feeds: none}"),
                   options);
}

// Queries, keys, values and the gate, a norm over all heads, the output.
TEST(Lightning, has_the_parameters_of_MiniMax_s_layer) {
  EXPECT_DOUBLE_EQ(lightning()[1].parameters, 4 * h * width + width + width * h + h);
}

TEST(Lightning, is_linear_beyond_a_chunk) {
  const double chunks = s / Q, projections = 2 * s * 5 * h * width;
  const double within = 4 * Q * Q * d, recalled = 2 * Q * d * d, state = 2 * Q * d * d;
  EXPECT_DOUBLE_EQ(flops({lightning()[1]}, &Layer::forward),
                   projections + chunks * a * (within + recalled + state));
  EXPECT_DOUBLE_EQ(
      flops({lightning()[1]}, &Layer::input_gradient),
      projections + chunks * a * (2 * within + 2 * Q * Q * d + 2 * recalled + 3 * state));
  EXPECT_DOUBLE_EQ(lightning()[1].model_flops, projections + 4 * s * a * d * d);
}

// Groups of heads that are normed by themselves stay on their ranks where the ranks divide them;
// two gains as wide as a head norm queries and keys.
TEST(Lightning, norms_groups_of_heads_and_queries) {
  const auto with = [](const std::string& lightning, int64_t tensor) {
    return layers_of(
        transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, norm: "
                    "rmsnorm, positions: rope, mixers: lightning, feeds: none, lightning: {" +
                    lightning + "}}"),
        {.sequence = 512, .tensor = tensor})[1];
  };
  EXPECT_EQ(collectives(with("groups: 2", 2).forward).size(), 1u);
  EXPECT_EQ(collectives(with("groups: 2", 4).forward).size(), 2u);
  EXPECT_DOUBLE_EQ(with("head_norms: true", 1).parameters - with("groups: 1", 1).parameters, 2 * d);
}

// The norm goes over heads of all tensor ranks: one more sum each way, 4 bytes a token.
TEST(Lightning, tensor_ranks_sum_the_squares_of_the_norm) {
  const auto sums = collectives(lightning({.tensor = 2})[1].forward);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums.front().bytes.count, 4 * 512);
}

}  // namespace
}  // namespace pipewright::test::lightning
