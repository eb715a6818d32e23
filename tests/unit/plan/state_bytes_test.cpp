#include "plan/state_bytes.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

double adam(Moments moments, MasterWeights master, DType precision = DType::bf16) {
  return optimizer_bytes({.precision = precision, .moments = moments, .master_weights = master});
}

// Megatron-Core's precision-aware optimizer and Transformer Engine's FusedAdam: 4 + 4 + 4 bytes,
// less where a part is narrower.
TEST(StateBytes, each_part_takes_what_its_format_says) {
  EXPECT_DOUBLE_EQ(adam(Moments::fp32, MasterWeights::fp32), 12);
  EXPECT_DOUBLE_EQ(adam(Moments::bf16, MasterWeights::fp32), 8);
  EXPECT_DOUBLE_EQ(adam(Moments::fp8, MasterWeights::fp32), 6);
  EXPECT_DOUBLE_EQ(adam(Moments::fp32, MasterWeights::remainders), 10);
  EXPECT_DOUBLE_EQ(adam(Moments::bf16, MasterWeights::none), 4);
}

// arXiv 2110.02861, 2.1: a scale in fp32 for each block of 2048 numbers.
TEST(StateBytes, eight_bits_have_a_scale_for_every_2048) {
  EXPECT_DOUBLE_EQ(adam(Moments::int8, MasterWeights::fp32), 4 + 2 * (1 + 4.0 / 2048));
}

TEST(StateBytes, weights_in_fp32_have_no_master_copy) {
  EXPECT_DOUBLE_EQ(adam(Moments::fp32, MasterWeights::remainders, DType::fp32), 8);
  EXPECT_DOUBLE_EQ(adam(Moments::bf16, MasterWeights::fp32, DType::fp32), 4);
}

TEST(StateBytes, an_optimizer_without_moments_has_none_to_narrow) {
  EXPECT_DOUBLE_EQ(optimizer_bytes({.optimizer = Optimizer::sgd, .moments = Moments::int8}), 4);
  EXPECT_DOUBLE_EQ(optimizer_bytes({.optimizer = Optimizer::momentum, .moments = Moments::bf16}),
                   6);
}

}  // namespace
}  // namespace pipewright
