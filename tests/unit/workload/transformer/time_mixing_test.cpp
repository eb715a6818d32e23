// RWKV-7's time mixing by hand: h = 64, 4 heads of d = 16, ranks of 8, 6, 4 and 10, chunks of Q
// = 16.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::time_mixing {
namespace {

constexpr double h = 64, H = 4, d = 16, Q = 16, w = 8, a = 6, v = 4, g = 10, b = 2, s = 64;

std::vector<Layer> mixing(WorkloadOptions options = {}, const std::string& feed = "none") {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(
      transformer(
          "{layers: 2, hidden: 64, ffn: 256, vocabulary: 100, bias: false, norm: layernorm, "
          "positions: none, mixers: time-mixing, time_mixing: {heads: 4, decay_rank: 8, "
          "rate_rank: 6, value_rank: 4, gate_rank: 10, chunk: 16}, feeds: " +
          feed + "}"),
      options);
}

// Four products of h h; four pairs of low rank, three with a bias; six mixtures, three vectors of
// keys and receptance, a norm with gains and biases; the block's own norm. The first block has no
// share of its own values.
TEST(TimeMixing, has_the_parameters_of_rwkv_7) {
  const double later = 4 * h * h + 2 * h * (w + a + v + g) + (6 + 3 + 3 + 2) * h + 2 * h;
  EXPECT_DOUBLE_EQ(mixing()[2].parameters, later);
  EXPECT_DOUBLE_EQ(mixing()[1].parameters, later - 2 * h * v - h);
}

// An MLP of two products, whose input is a mixture by one vector.
TEST(TimeMixing, an_mlp_behind_it_mixes_tokens_too) {
  EXPECT_DOUBLE_EQ(mixing({}, "dense")[2].parameters - mixing()[2].parameters,
                   2 * h * 256 + h + 2 * h);
}

TEST(TimeMixing, has_the_products_of_the_chunked_algorithm) {
  const double tokens = b * s, chunks = tokens / Q;
  const double inverse = Q * Q * Q / 3 * H;
  const double squares = (8 + 8) * Q * Q * d * H, states = 8 * Q * d * d * H;
  const double products = 2 * tokens * (4 * h * h + 2 * h * (w + a + v + g));
  EXPECT_DOUBLE_EQ(flops({mixing()[2]}, &Layer::forward),
                   products + chunks * (squares + states + inverse));
  EXPECT_DOUBLE_EQ(mixing()[2].model_flops, products + 8 * tokens * h * d);
}

TEST(TimeMixing, tensor_ranks_share_heads) {
  const Layer whole = mixing()[2], half = mixing({.tensor = 2})[2];
  EXPECT_DOUBLE_EQ(half.parameters, whole.parameters);
  const double copied = h * (w + a + v + g) + 6 * h + 2 * h;  // to the ranks, mixtures, the norm
  EXPECT_DOUBLE_EQ(half.device_parameters - copied, (whole.device_parameters - copied) / 2);
  EXPECT_EQ(error_of([] { mixing({.tensor = 3}); }),
            "error: tensor 3 must divide time_mixing.heads 4");
}

}  // namespace
}  // namespace pipewright::test::time_mixing
