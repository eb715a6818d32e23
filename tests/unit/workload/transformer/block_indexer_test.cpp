// Attention to chosen blocks of keys by hand: h = 64, 4 heads of 16, 2 of keys, an indexer of 2
// heads of 8 that chooses 2 blocks of 16 keys.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::block_indexer {
namespace {

constexpr double h = 64, heads = 2, d = 8, keys = 32, b = 2;

std::vector<Layer> sparse(const std::string& indexer, int64_t sequence = 128, int64_t tensor = 1) {
  WorkloadOptions options;
  options.micro_batch = 2;
  options.sequence = sequence;
  options.tensor = tensor;
  return layers_of(
      transformer("{layers: 2, hidden: 64, heads: 4, kv_heads: 2, vocabulary: 100, bias: false, "
                  "norm: rmsnorm, positions: rope, attention: {" +
                  indexer + "}}"),
      options);
}

const std::string of_blocks = "indexer: {heads: 2, head_dim: 8, keys: 32, block: 16";

// Queries of both heads and one key, each with the gains of a norm.
TEST(BlockIndexer, makes_queries_and_one_key_of_the_stream) {
  EXPECT_DOUBLE_EQ(sparse(of_blocks + "}")[1].parameters - sparse("")[1].parameters,
                   h * (heads + 1) * d + 2 * d);
}

// All pairs are scored; attention sees `keys` of them.
TEST(BlockIndexer, scores_all_pairs_and_sees_the_chosen_ones) {
  constexpr double s = 128, pairs = s * (s + 1) / 2,
                   seen = keys * (keys + 1) / 2 + (s - keys) * keys;
  const double products = 2 * b * s * h * (heads + 1) * d;
  const double attention = 2 * b * 4 * (16 + 16);
  EXPECT_DOUBLE_EQ(flops({sparse(of_blocks + "}")[1]}, &Layer::forward) -
                       flops({sparse("")[1]}, &Layer::forward),
                   products + 2 * b * heads * d * pairs - attention * (pairs - seen));
}

TEST(BlockIndexer, blocks_without_a_choice_are_those_without_an_indexer) {
  const std::vector<Layer> some = sparse(of_blocks + ", blocks: [none, own]}");
  EXPECT_DOUBLE_EQ(some[1].parameters, sparse("")[1].parameters);
  EXPECT_DOUBLE_EQ(flops({some[1]}, &Layer::forward), flops({sparse("")[1]}, &Layer::forward));
  EXPECT_DOUBLE_EQ(some[2].parameters, sparse(of_blocks + "}")[2].parameters);
}

// Twice as many ranks as heads of keys: both are copied, and the whole layer's weights stay.
TEST(BlockIndexer, tensor_ranks_share_or_copy_heads) {
  for (const int64_t tensor : {2, 4})
    EXPECT_DOUBLE_EQ(sparse(of_blocks + "}", 128, tensor)[1].parameters,
                     sparse(of_blocks + "}")[1].parameters)
        << tensor;
}

TEST(BlockIndexer, a_choice_needs_one_that_chooses) {
  EXPECT_NE(error_of([] {
              sparse(of_blocks + ", blocks: [none, shared]}");
            }).find("the block before has no choice: must be own or none"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              sparse("indexer: {heads: 2, head_dim: 8, keys: 32}");
            }).find("an indexer reads low-rank queries"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::block_indexer
