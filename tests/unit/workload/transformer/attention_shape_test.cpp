#include "workload/transformer/attention_shape.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test {
namespace {

TransformerShape two_blocks_with(const std::string& more) {
  return transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, " + more + "}");
}

TEST(AttentionShape, is_plain_unless_something_rare_is_said) {
  EXPECT_TRUE(two_blocks_with("window: 8").attention.is_plain());
  EXPECT_TRUE(two_blocks_with("attention: {norm: none}").attention.is_plain());
  for (const char* rare : {"norm: head", "bias: inputs", "sinks: true", "gate: true",
                           "soft_cap: true", "local_positions: true"})
    EXPECT_FALSE(two_blocks_with(std::string("attention: {") + rare + "}").attention.is_plain())
        << rare;
}

TEST(AttentionShape, an_indexer_needs_low_rank_queries) {
  EXPECT_EQ(
      error_of([] { two_blocks_with("attention: {indexer: {heads: 2, head_dim: 8, keys: 4}}"); }),
      "model.yaml:1:73: error: an indexer reads low-rank queries: it needs 'latent' with a "
      "'query'");
}

TEST(AttentionShape, a_choice_that_is_not_known_is_told) {
  const std::string error = error_of([] { two_blocks_with("attention: {norm: heads}"); });
  EXPECT_NE(error.find("none, head, width"), std::string::npos) << error;
}

// h = 64, a = 4 heads of d = 16, k = 2: queries, keys and values have (a + 2k) d biases, the output
// h; a gate doubles the queries; norms have 2 d gains, or (a + k) d; sinks are a.
TEST(AttentionShape, its_parts_have_the_parameters_of_the_hand_count) {
  constexpr double h = 64, a = 4, k = 2, d = 16;
  const auto block = [](const std::string& attention) {
    return layers_of(two_blocks_with("kv_heads: 2, bias: false, attention: {" + attention + "}"),
                     {.sequence = 32})[1]
        .parameters;
  };
  const double plain = block("");
  EXPECT_DOUBLE_EQ(plain, h * (a + 2 * k) * d + a * d * h + 2 * h * 256 + 4 * h);
  EXPECT_DOUBLE_EQ(block("bias: inputs") - plain, (a + 2 * k) * d);
  EXPECT_DOUBLE_EQ(block("bias: all") - plain, (a + 2 * k) * d + h);
  EXPECT_DOUBLE_EQ(block("gate: true") - plain, h * a * d);
  EXPECT_DOUBLE_EQ(block("norm: head") - plain, 2 * d);
  EXPECT_DOUBLE_EQ(block("norm: width") - plain, (a + k) * d);
  EXPECT_DOUBLE_EQ(block("norm: unit") - plain, 0);
  EXPECT_DOUBLE_EQ(block("sinks: true") - plain, a);
}

// h = 64; in blocks with a window 4 heads of 8 with 2 of keys, in the others 2 heads of 32 with one
// of keys, which are the values too.
TEST(AttentionShape, blocks_that_see_all_tokens_may_have_heads_of_their_own) {
  const auto layers = layers_of(
      transformer("{layers: 2, hidden: 64, heads: 4, kv_heads: 2, head_dim: 8, ffn: 64, "
                  "vocabulary: 100, bias: false, norm: rmsnorm, window: 16, mixers: [sliding, "
                  "full], attention: {norm: head, value_norm: true, full: {heads: 2, kv_heads: 1, "
                  "head_dim: 32, values_are_keys: true}}}"),
      {.sequence = 64});
  constexpr double h = 64, rest = 2 * h * 64 + 2 * h;
  EXPECT_DOUBLE_EQ(layers[1].parameters, h * 8 * (4 + 2 + 2) + 4 * 8 * h + 2 * 8 + rest);
  EXPECT_DOUBLE_EQ(layers[2].parameters, h * 32 * (2 + 1) + 2 * 32 * h + 2 * 32 + rest);
  EXPECT_DOUBLE_EQ(layers[2].model_flops,
                   2 * 64 * (layers[2].parameters - 2 * 32 - 2 * h) + 2 * 64 * 64 * 2 * 64);
}

TEST(AttentionShape, heads_of_values_may_be_narrower) {
  const auto one = [](const std::string& more) {
    return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, kv_heads: 2, head_dim: 16, "
                                 "vocabulary: 100, bias: false" +
                                 more + "}"),
                     {.sequence = 64})[1]
        .parameters;
  };
  constexpr double h = 64;
  EXPECT_DOUBLE_EQ(one("") - one(", attention: {value_dim: 8}"), h * 2 * 8 + 4 * 8 * h);
}

TEST(AttentionShape, tensor_ranks_must_divide_the_heads_of_every_block) {
  EXPECT_EQ(error_of([] {
              layers_of(transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, window: "
                                    "16, mixers: [sliding, full], attention: {full: {heads: 2, "
                                    "kv_heads: 1}}}"),
                        {.sequence = 64, .tensor = 4});
            }),
            "error: tensor 4 must divide attention.full.heads 2");
}

}  // namespace
}  // namespace pipewright::test
