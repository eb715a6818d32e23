// DeepSeek-V4's attention by hand: h = 64, 4 heads of d = 16 with one key, queries through 32,
// 2 groups of heads through 8; windows of 8; keys of 4 and of 16 tokens; 128 tokens.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test::compressed {
namespace {

constexpr double s = 128, h = 64, a = 4, d = 16, rank = 32, groups = 2, back = 8;
constexpr double index_heads = 2, index_dim = 8;
/// Queries, the key and its norm, groups of heads and their ranks, sinks.
constexpr double attention = (h * rank + rank + rank * a * d) + (h * d + d) +
                             (a * d / groups) * (groups * back) + groups * back * h + a;
constexpr double other = 2 * h + 3 * h * 128;  // norms, the MLP

TransformerShape model(const std::string& mixers, const std::string& more = "") {
  return transformer(
      "{layers: 1, hidden: 64, heads: 4, kv_heads: 1, head_dim: 16, ffn: 128, gated: true, "
      "vocabulary: 100, positions: rope, norm: rmsnorm, bias: false, tied_embeddings: false, "
      "window: 8, mixers: [" +
      mixers +
      "], attention: {norm: unit, sinks: true, values_are_keys: true, query_rank: 32, "
      "output: {rank: 8, groups: 2}, compression: {few: 4, many: 16}, "
      "indexer: {heads: 2, head_dim: 8, keys: 6}}" +
      more + "}");
}

Layer block(const std::string& mixers, int64_t tensor = 1) {
  return layers_of(model(mixers), {.sequence = 128, .tensor = tensor})[1];
}

TEST(Compressed, a_window_alone_has_one_key_for_all_heads) {
  EXPECT_DOUBLE_EQ(block("sliding").parameters, attention + other);
}

// Two products d wide, a bias for each of 16 tokens, a norm.
TEST(Compressed, keys_of_many_tokens_have_two_products) {
  EXPECT_DOUBLE_EQ(block("many-compressed").parameters - block("sliding").parameters,
                   2 * h * d + 16 * d + d);
}

// Two products 2 d wide, and the same for the indexer's keys, its queries and its heads' weights.
TEST(Compressed, keys_of_few_tokens_overlap_and_are_chosen) {
  const double keys = 2 * h * 2 * d + 4 * 2 * d + d;
  const double chosen = 2 * h * 2 * index_dim + 4 * 2 * index_dim + index_dim +
                        rank * index_heads * index_dim + h * index_heads;
  EXPECT_DOUBLE_EQ(block("few-compressed").parameters - block("sliding").parameters, keys + chosen);
}

// Of 128 queries: the last 8 tokens; beside them t / 16 keys, or 6 of t / 4 at most, which are
// scored all.
TEST(Compressed, queries_see_a_window_and_the_keys_before_them) {
  const double pair = 2 * a * 2 * d, window = 8 * 9 / 2.0 + (s - 8) * 8;
  EXPECT_DOUBLE_EQ(kernel_flops(block("sliding").forward, Kernel::attention), pair * window);
  const double many = 8 * (8 * 16 + 1) / 2.0;
  EXPECT_DOUBLE_EQ(kernel_flops(block("many-compressed").forward, Kernel::attention),
                   pair * (window + many));
  const double few = 6 * (6 * 4 + 1) / 2.0 + (s - 6 * 4) * 6;
  const double scores = 2 * index_heads * index_dim * s * (s / 4 + 1.0 / 4) / 2;
  EXPECT_DOUBLE_EQ(kernel_flops(block("few-compressed").forward, Kernel::attention),
                   pair * (window + few) + scores);
}

// Heads and their groups are cut; keys, compressed or not, and the indexer are on all ranks.
TEST(Compressed, tensor_ranks_cut_heads_and_groups) {
  const double cut = rank * a * d + (a * d / groups) * (groups * back) + groups * back * h + a;
  EXPECT_DOUBLE_EQ(
      block("few-compressed").device_parameters - block("few-compressed", 2).device_parameters,
      (cut + 3 * h * 128) / 2);
  EXPECT_NE(error_of([] {
              layers_of(model("sliding"), {.sequence = 128, .tensor = 4});
            }).find("attention.output.groups"),
            std::string::npos);
}

TEST(Compressed, mistakes_are_named) {
  EXPECT_NE(error_of([] {
              transformer(
                  "{layers: 1, hidden: 64, heads: 4, vocabulary: 100, window: 8, "
                  "mixers: [many-compressed]}");
            }).find("'many-compressed' needs the key 'compression' of 'attention'"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              transformer(
                  "{layers: 1, hidden: 64, heads: 4, vocabulary: 100, "
                  "attention: {query_rank: 8}}");
            }).find("kv_heads must be 1, or 'compression' or 'latent' be given"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              layers_of(model("sliding"), {.sequence = 128, .context = 2});
            }).find("compressed keys stand for tokens of other devices"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::compressed
