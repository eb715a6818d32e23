// Attention whose scores are written, and who scales and masks them.
#include <gtest/gtest.h>

#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test {
namespace {

/// A block of six heads.
Layer unfused_block(int64_t micro_batch, ScoreSoftmax softmax, int64_t sequence) {
  WorkloadOptions options{.micro_batch = micro_batch, .sequence = sequence};
  options.kernels.attention = AttentionKernel::unfused;
  options.kernels.softmax = softmax;
  return layers_of(gpt(3, 96, 6, 512), options)[1];
}

// Six score matrices are not fours: casts 2 + 4 and 4 + 2 B a score, scaling, masking and the
// softmax 8 B each, in place of one kernel's 4; backward casts 12, masks and scales 16,
// a product of result and gradient and a softmax of two operands 12 each, in place of 6. The
// softmax's result is kept in 4 B, not 2.
TEST(UnfusedAttention, megatron_passes_over_scores_by_operators_where_they_are_no_fours) {
  constexpr int64_t s = 128;
  constexpr double scores = 6.0 * s * s;
  const Layer one = unfused_block(1, ScoreSoftmax::megatron, s),
              fused = unfused_block(1, ScoreSoftmax::fused, s);
  EXPECT_DOUBLE_EQ(moved_bytes(one.forward) - moved_bytes(fused.forward),
                   (12 + 3 * 8 - 4) * scores);
  EXPECT_DOUBLE_EQ(moved_bytes(one.input_gradient) - moved_bytes(fused.input_gradient),
                   (12 + 16 + 2 * 12 - 6) * scores);
  EXPECT_DOUBLE_EQ(static_cast<double>(one.stash.count - fused.stash.count), 2 * scores);
}

TEST(UnfusedAttention, megatron_has_its_softmax_for_fours_up_to_4096_keys) {
  const auto extra = [](int64_t micro_batch, int64_t sequence) {
    return moved_bytes(unfused_block(micro_batch, ScoreSoftmax::megatron, sequence).forward) -
           moved_bytes(unfused_block(micro_batch, ScoreSoftmax::fused, sequence).forward);
  };
  EXPECT_DOUBLE_EQ(extra(2, 128), 0) << "twelve matrices";
  EXPECT_GT(extra(3, 128), 0) << "eighteen";
  EXPECT_DOUBLE_EQ(extra(4, 4096), 0);
  EXPECT_GT(extra(4, 8192), 0);
}

}  // namespace
}  // namespace pipewright::test
