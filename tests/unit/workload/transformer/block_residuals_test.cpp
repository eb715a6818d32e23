// Attention residuals by laws: what they cost beside blocks that read one sum.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test::block_residuals {
namespace {

constexpr int64_t h = 64;
constexpr double tokens = 2 * 64, tensor_bytes = tokens * 2 * h;

std::vector<Layer> blocks(int64_t group, std::vector<int64_t> starts = {0}) {
  WorkloadOptions options;
  options.micro_batch = 2;
  options.sequence = 64;
  options.recompute.stage_starts = std::move(starts);
  return layers_of(transformer("{layers: 8, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, positions: rope, block_residuals: " +
                               std::to_string(group) + "}"),
                   options);
}

// Gains and scores: h of each for both branches of a block and for the head.
TEST(BlockResiduals, have_two_vectors_a_branch) {
  const std::vector<Layer> plain = blocks(0), grouped = blocks(3);
  for (size_t k = 1; k <= 8; ++k)
    EXPECT_DOUBLE_EQ(grouped[k].parameters - plain[k].parameters, 4 * h);
  EXPECT_DOUBLE_EQ(grouped.back().parameters - plain.back().parameters, 2 * h);
}

// Groups begin at blocks 0, 3 and 6. Behind blocks 0 to 2 one of them has begun, and so on; what
// goes on is a tensor for each, and the sum.
TEST(BlockResiduals, send_a_tensor_for_every_group) {
  const std::vector<Layer> layers = blocks(3);
  const std::vector<int64_t> begun = {1, 1, 1, 2, 2, 2, 3, 3};
  for (size_t block = 0; block < begun.size(); ++block)
    EXPECT_DOUBLE_EQ(static_cast<double>(layers[block + 1].output.count),
                     tensor_bytes * static_cast<double>(begun[block] + 1))
        << block;
}

// Every group more is one tensor more that both branches read.
TEST(BlockResiduals, later_blocks_read_more) {
  const std::vector<Layer> layers = blocks(3);
  EXPECT_DOUBLE_EQ(read_bytes(layers[5].forward) - read_bytes(layers[2].forward), 2 * tensor_bytes);
  EXPECT_DOUBLE_EQ(read_bytes(layers[2].forward), read_bytes(layers[3].forward));
}

// A stage keeps what it got: two groups have begun before block 4.
TEST(BlockResiduals, a_stage_keeps_the_tensors_that_it_got) {
  const std::vector<Layer> one = blocks(3), two = blocks(3, {0, 4});
  for (size_t k = 1; k <= 8; ++k)
    EXPECT_EQ(two[k].stash.count - one[k].stash.count,
              k == 5 ? static_cast<int64_t>(2 * tensor_bytes) : 0)
        << k;
}

TEST(BlockResiduals, stand_beside_no_streams) {
  EXPECT_NE(error_of([] {
              transformer(
                  "{layers: 8, hidden: 64, heads: 4, vocabulary: 100, streams: 4, "
                  "block_residuals: 2}");
            }).find("'block_residuals' stands beside neither streams nor predict"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::block_residuals
