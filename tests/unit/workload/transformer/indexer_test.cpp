// DeepSeek's indexer by hand: low-rank queries of q = 32, I = 2 heads of c = 8, k = 16 keys.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test::indexer {
namespace {

constexpr double h = 64, q = 32, I = 2, c = 8, k = 16, s = 64;

std::vector<Layer> sparse(const std::string& indexer, WorkloadOptions options = {}) {
  options.sequence = 64;
  return layers_of(
      transformer(
          "{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, norm: rmsnorm, "
          "positions: rope, latent: {query: 32, key_value: 16, nope: 8, rope: 4, value: 8}" +
          indexer + "}"),
      options);
}
const std::string with_indexer = ", attention: {indexer: {heads: 2, head_dim: 8, keys: 16}}";

// Queries from the low rank, one key and a weight a head from the stream, a layer norm of the key.
TEST(Indexer, has_the_parameters_of_DeepSeek_V3_2) {
  EXPECT_DOUBLE_EQ(sparse(with_indexer)[1].parameters - sparse("")[1].parameters,
                   q * I * c + h * (c + I) + 2 * c);
}

// All pairs are scored, 2 I c FLOPs each; attention sees k keys a query: 4 heads of 12 and 8.
TEST(Indexer, scores_all_keys_for_attention_to_the_best_of_them) {
  const double seen = k * (k + 1) / 2 + (s - k) * k;
  EXPECT_DOUBLE_EQ(kernel_flops(sparse(with_indexer)[1].forward, Kernel::attention),
                   2 * I * c * s * (s + 1) / 2 + 2 * 4 * seen * (12 + 8));
  EXPECT_DOUBLE_EQ(kernel_flops(sparse(with_indexer)[1].input_gradient, Kernel::attention),
                   2 * 2 * I * c * seen + 2 * 4 * seen * (3 * 12 + 2 * 8));
}

// A block that takes the choice of the one before has no indexer, and attention sees as few keys.
TEST(Indexer, blocks_may_share_a_choice) {
  const std::string shared =
      ", attention: {indexer: {heads: 2, head_dim: 8, keys: 16, blocks: [own, shared]}}";
  const auto two = [](const std::string& indexer) {
    return layers_of(
        transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, bias: false, norm: "
                    "rmsnorm, positions: rope, latent: {query: 32, key_value: 16, nope: 8, rope: "
                    "4, value: 8}" +
                    indexer + "}"),
        {.sequence = 64});
  };
  const auto layers = two(shared);
  EXPECT_DOUBLE_EQ(layers[1].parameters, sparse(with_indexer)[1].parameters);
  EXPECT_DOUBLE_EQ(layers[2].parameters, sparse("")[1].parameters);
  const double seen = k * (k + 1) / 2 + (s - k) * k;
  EXPECT_DOUBLE_EQ(kernel_flops(layers[2].forward, Kernel::attention), 2 * 4 * seen * (12 + 8));
  EXPECT_NE(error_of([&] {
              two(", attention: {indexer: {heads: 2, head_dim: 8, keys: 16, blocks: [shared]}}");
            }).find("the first block has no other's choice: must be own"),
            std::string::npos);
}

TEST(Indexer, is_whole_on_every_tensor_rank_and_uncut_in_context) {
  const auto more = [](const WorkloadOptions& options) {
    return sparse(with_indexer, options)[1].device_parameters -
           sparse("", options)[1].device_parameters;
  };
  EXPECT_DOUBLE_EQ(more({.tensor = 2}), more({}));
  EXPECT_EQ(error_of([] { sparse(with_indexer, {.context = 2}); }),
            "error: context must be 1: an indexer scores all keys of a sequence");
}

}  // namespace
}  // namespace pipewright::test::indexer
