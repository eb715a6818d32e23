#include "plan/nanotron_partition.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TransformerShape shape() {
  TransformerShape shape;
  shape.layers = 16;
  shape.hidden = 2048;
  shape.ffn = 8192;
  shape.ends.vocabulary = 131072;
  return shape;
}

// A block weighs 4 x 2048^2 + 3 x 8192 x 2048 = 67.1 M, the head four times that: 20 units. The
// tenth block meets the first stage's share of 10 and does not exceed it, so the eleventh is in.
TEST(NanotronPartition, a_stage_ends_when_its_share_is_exceeded) {
  EXPECT_EQ(nanotron_counts(shape(), 2), (std::vector<int64_t>{11, 5}));
  EXPECT_EQ(nanotron_counts(shape(), 1), (std::vector<int64_t>{16}));
}

// Shares of 5: blocks 6, 11 and 16 end stages, and the head is alone on the last.
TEST(NanotronPartition, the_head_may_stand_alone) {
  EXPECT_EQ(nanotron_counts(shape(), 4), (std::vector<int64_t>{6, 5, 5, 0}));
}

}  // namespace
}  // namespace pipewright
