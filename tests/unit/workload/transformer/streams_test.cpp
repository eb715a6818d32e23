// Residual streams side by side (arXiv 2409.19606), by hand: n = 4 of them, h = 64.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::streams {
namespace {

constexpr double n = 4, h = 64, tokens = 32;

std::vector<Layer> layers(int64_t streams, const std::string& more = "") {
  return layers_of(transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, positions: rope, streams: " +
                               std::to_string(streams) + more + "}"),
                   {.sequence = 32});
}

// Two branches a block: (2 + n) n weights of n h numbers, a bias for each, three gains. Before the
// last norm n of them, a bias for each and one gain.
TEST(Streams, each_branch_makes_weights_of_all_streams) {
  const std::vector<Layer> one = layers(1), four = layers(4);
  const double weights = (2 + n) * n;
  EXPECT_DOUBLE_EQ(four[1].parameters - one[1].parameters, 2 * (weights * n * h + weights + 3));
  EXPECT_DOUBLE_EQ(four.back().parameters - one.back().parameters, n * n * h + n + 1);
  EXPECT_DOUBLE_EQ(four[0].parameters, one[0].parameters);
}

TEST(Streams, all_of_them_go_from_block_to_block) {
  const std::vector<Layer> one = layers(1), four = layers(4);
  for (const size_t k : {0u, 1u, 2u})
    EXPECT_EQ(four[k].output.count, 4 * one[k].output.count) << four[k].name;
}

// A block keeps the streams that enter each of its branches, and what each branch gives back.
TEST(Streams, are_kept_where_a_branch_begins) {
  const double stream = tokens * 2 * h, weights = 2 * 4 * tokens * (2 + n) * n;
  EXPECT_DOUBLE_EQ(static_cast<double>((layers(4)[1].stash - layers(1)[1].stash).count),
                   2 * (n - 1) * stream + 2 * stream + 2 * weights);
}

TEST(Streams, one_is_the_residual_stream) {
  EXPECT_DOUBLE_EQ(parameters(layers(1)),
                   parameters(layers_of(transformer("{layers: 2, hidden: 64, heads: 4, "
                                                    "vocabulary: 100, bias: false, norm: rmsnorm, "
                                                    "positions: rope}"),
                                        {.sequence = 32})));
}

TEST(Streams, are_of_serial_blocks_without_further_predictions) {
  EXPECT_NE(error_of([] { layers(4, ", parallel_block: true"); }).find("serial blocks"),
            std::string::npos);
  EXPECT_NE(error_of([] { layers(4, ", predict: 1"); }).find("one stream here"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::streams
