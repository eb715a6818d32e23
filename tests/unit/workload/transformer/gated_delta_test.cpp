// Gated DeltaNet by hand: h = 64, 2 key heads of d = 16, H = 4 value heads of e = 8, chunks of 16.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::gated_delta {
namespace {

constexpr double h = 64, key_heads = 2, d = 16, H = 4, e = 8, Q = 16, taps = 4;
constexpr double keys = key_heads * d, values = H * e, convolved = 2 * keys + values;
constexpr double b = 2, s = 64;

std::vector<Layer> delta(WorkloadOptions options = {}) {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(transformer("{layers: 1, hidden: 64, vocabulary: 100, bias: false, norm: "
                               "rmsnorm, positions: none, mixers: gated-delta, feeds: none, "
                               "gated_delta: {key_heads: 2, value_heads: 4, key_dim: 16, "
                               "value_dim: 8, chunk: 16}}"),
                   options);
}

// Queries, keys, values and the gate z; two numbers a value head; a convolution without bias; decay
// and bias a head; a norm as wide as one head.
TEST(GatedDelta, has_the_parameters_of_Qwen3_Next_s_layer) {
  EXPECT_DOUBLE_EQ(delta()[1].parameters, h * (2 * keys + 2 * values) + h * 2 * H +
                                              taps * convolved + 2 * H + e + values * h + h);
}

// Kimi Linear: the gate and a decay for every channel of the keys go through a rank of r; the
// decay's bias is as wide, and what is written is one number a head.
TEST(GatedDelta, has_the_parameters_of_Kimi_Linear_s_layer) {
  constexpr double r = 8;
  const Layer low = layers_of(
      transformer(
          "{layers: 1, hidden: 64, vocabulary: 100, bias: false, norm: rmsnorm, positions: "
          "none, mixers: gated-delta, feeds: none, gated_delta: {key_heads: 4, value_heads: "
          "4, key_dim: 16, value_dim: 8, rank: 8}}"),
      {.sequence = 64})[1];
  const double width = H * d;
  EXPECT_DOUBLE_EQ(low.parameters, h * (2 * width + values + H) + 2 * h * r + r * (width + values) +
                                       taps * (2 * width + values) + H + width + e + values * h +
                                       h);
}

TEST(GatedDelta, has_the_products_of_the_chunked_algorithm) {
  const double tokens = b * s, chunks = tokens / Q;
  const double scores = 2 * Q * Q * d, wy = 2 * Q * Q * (d + e), triangle = Q * Q * Q / 3;
  const double states = 2 * Q * d * e, within = 2 * Q * Q * (d + e);
  const double projections = 2 * tokens * h * (2 * keys + 2 * values + 2 * H + values),
               convolution = 2 * tokens * convolved * taps;
  EXPECT_NEAR(
      flops({delta()[1]}, &Layer::forward),
      projections + convolution + chunks * H * (scores + wy + triangle + 3 * states + within), 1);
  EXPECT_NEAR(flops({delta()[1]}, &Layer::input_gradient),
              projections + convolution +
                  chunks * H * (2 * scores + 3 * wy + 2 * 2 * Q * Q * Q + 8 * states + 2 * within),
              1);
}

// Megatron-LM counts 8 d e a head and token for the rule.
TEST(GatedDelta, counts_the_rule_as_Megatron_does) {
  const double tokens = b * s;
  EXPECT_DOUBLE_EQ(delta()[1].model_flops,
                   2 * tokens * h * (2 * keys + 2 * values + 2 * H + values) +
                       2 * tokens * convolved * taps + 8 * tokens * H * d * e);
}

TEST(GatedDelta, tensor_ranks_share_key_heads_and_their_value_heads) {
  const Layer whole = delta()[1], half = delta({.tensor = 2})[1];
  EXPECT_DOUBLE_EQ(half.device_parameters - h - e, (whole.device_parameters - h - e) / 2);
  EXPECT_NEAR(flops({half}, &Layer::forward), flops({whole}, &Layer::forward) / 2, 1);
  EXPECT_EQ(error_of([] { delta({.tensor = 4}); }),
            "error: tensor 4 must divide gated_delta.key_heads 2");
}

TEST(GatedDelta, the_state_is_not_cut_in_context) {
  EXPECT_NE(error_of([] { delta({.context = 2}); }).find("context must be 1"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::gated_delta
