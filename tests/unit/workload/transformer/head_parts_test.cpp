#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::test {
namespace {

Layer block_with_attention(const std::string& attention, WorkloadOptions options = {}) {
  options.sequence = 32;
  return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, kv_heads: 2, vocabulary: 100, "
                               "bias: false, norm: rmsnorm, attention: {" +
                               attention + "}}"),
                   options)[1];
}

// A norm of queries and keys keeps (a + k) d numbers a token beside what the projections keep; a
// gate keeps the queries' width twice: made with them, and what it multiplies.
TEST(HeadParts, keep_what_their_backward_passes_read) {
  constexpr int64_t tokens = 32, d = 16, bytes = 2;
  const int64_t plain = block_with_attention("").stash.count;
  EXPECT_EQ(block_with_attention("norm: head").stash.count - plain, tokens * (4 + 2) * d * bytes);
  EXPECT_EQ(block_with_attention("gate: true").stash.count - plain, tokens * 2 * 4 * d * bytes);
}

// One number a head gates as many numbers; a gate of latent attention is made of the stream.
TEST(HeadParts, gates_may_be_of_heads_or_beside_latent_attention) {
  constexpr double h = 64, heads = 4, width = 64;
  EXPECT_DOUBLE_EQ(
      block_with_attention("head_gate: true").parameters - block_with_attention("").parameters,
      h * heads);
  EXPECT_DOUBLE_EQ(
      block_with_attention("gate: true").parameters - block_with_attention("").parameters,
      h * width);
  const auto latent = [](const std::string& attention) {
    return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                                 "latent: {query: 8, key_value: 16, nope: 8, rope: 8, value: 16}, "
                                 "attention: {" +
                                 attention + "}}"),
                     {.sequence = 32})[1]
        .parameters;
  };
  EXPECT_DOUBLE_EQ(latent("head_gate: true") - latent(""), h * heads);
  EXPECT_DOUBLE_EQ(latent("gate: true") - latent(""), h * width);
}

// A norm over all heads crosses tensor ranks: 8 bytes a token, forward and backward.
TEST(HeadParts, a_norm_of_all_heads_is_summed_over_tensor_ranks) {
  const WorkloadOptions two{.tensor = 2};
  EXPECT_EQ(collectives(block_with_attention("norm: head", two).forward).size(),
            collectives(block_with_attention("", two).forward).size());
  const auto sums = collectives(block_with_attention("norm: width", two).forward);
  ASSERT_EQ(sums.size(), collectives(block_with_attention("", two).forward).size() + 1);
  EXPECT_EQ(sums.front().bytes.count, 8 * 32);
  EXPECT_DOUBLE_EQ(block_with_attention("norm: width", two).device_parameters -
                       block_with_attention("", two).device_parameters,
                   (4 + 2) * 16 / 2);
}

// Scores that pass through a tanh are one more kernel each way, where they reach memory.
TEST(HeadParts, soft_caps_are_kernels_of_unfused_attention) {
  const WorkloadOptions unfused{.kernels = {.attention = AttentionKernel::unfused}};
  EXPECT_EQ(kernels(block_with_attention("soft_cap: true").forward),
            kernels(block_with_attention("").forward));
  EXPECT_EQ(kernels(block_with_attention("soft_cap: true", unfused).forward),
            kernels(block_with_attention("", unfused).forward) + 1);
  EXPECT_EQ(kernels(block_with_attention("soft_cap: true", unfused).input_gradient),
            kernels(block_with_attention("", unfused).input_gradient) + 1);
}

}  // namespace
}  // namespace pipewright::test
