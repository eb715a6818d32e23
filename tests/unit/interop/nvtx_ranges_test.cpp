#include "interop/nvtx_ranges.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using interop::NvtxMeaning;
using interop::NvtxRange;

TEST(NvtxRanges, steps_are_known_by_the_words_that_people_use) {
  for (const char* text : {"iteration12", "Iteration_12", "iter 12", "step_0012", "Step 12",
                           "ProfilerStep#12", "train_step: 12", "batch=12", "global_step 12"}) {
    const auto range = interop::nvtx_range(text);
    ASSERT_TRUE(range) << text;
    EXPECT_EQ(range->meaning, NvtxMeaning::step) << text;
    EXPECT_EQ(range->number, 12) << text;
  }
  EXPECT_EQ(interop::nvtx_range("train_step")->number, -1);
  EXPECT_EQ(interop::nvtx_range("step 99999999999999999999")->number, -1);
}

TEST(NvtxRanges, passes_are_known_by_their_names) {
  for (const char* text : {"autograd::engine::evaluate_function: MmBackward0, op_id = 3",
                           "backward", "DeepSpeedEngine.backward", "backward_step"})
    EXPECT_EQ(interop::nvtx_range(text)->meaning, NvtxMeaning::backward) << text;
  for (const char* text : {"Optimizer.step#FusedAdam.step", "optimizer", "DeepSpeedEngine.step"})
    EXPECT_EQ(interop::nvtx_range(text)->meaning, NvtxMeaning::optimizer) << text;
}

TEST(NvtxRanges, collectives_are_known_by_their_calls) {
  EXPECT_EQ(interop::nvtx_range("ncclAllReduce")->word, "AllReduce");
  EXPECT_EQ(interop::nvtx_range("nccl:_all_gather_base")->word, "_all_gather_base");
  EXPECT_EQ(interop::nvtx_range("nccl:send 0->1")->word, "send");
  EXPECT_EQ(interop::nvtx_range("ncclSend")->meaning, NvtxMeaning::collective);
}

TEST(NvtxRanges, other_texts_mean_nothing) {
  for (const char* text : {"", "forward", "forward_backward_func", "Step Forward",
                           "Optimizer.zero_grad#Adam.zero_grad", "ncclGroupEnd", "ncclCommInitRank",
                           "aten::mm", "data copy in step 3", "12"})
    EXPECT_FALSE(interop::nvtx_range(text)) << text;
}

NvtxRange range(NvtxMeaning meaning, double start, double end, const std::string& word = "",
                int number = -1) {
  return {.meaning = meaning,
          .word = word,
          .number = number,
          .start = seconds(start),
          .end = seconds(end)};
}

TEST(NvtxRanges, of_two_words_the_one_that_lasts_longer_is_the_step) {
  using enum NvtxMeaning;
  const auto steps = interop::nvtx_steps(
      {range(step, 0, 4, "batch", 0), range(step, 5, 9, "batch", 1),
       range(step, 0, 10, "iteration", 7), range(step, 10, 20, "iteration", 8)});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].number, 7);
  EXPECT_EQ(steps[1].start, seconds(10));
}

TEST(NvtxRanges, steps_without_numbers_are_counted) {
  using enum NvtxMeaning;
  const auto steps =
      interop::nvtx_steps({range(step, 10, 20, "train_step"), range(step, 0, 9, "train_step")});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].start, Time{});
  EXPECT_EQ(steps[0].number, 0);
  EXPECT_EQ(steps[1].number, 1);
}

TEST(NvtxRanges, without_marks_a_step_ends_with_its_last_update) {
  using enum NvtxMeaning;
  const auto steps =
      interop::nvtx_steps({range(backward, 1, 2), range(optimizer, 2, 3), range(optimizer, 3, 4),
                           range(backward, 6, 7), range(optimizer, 7, 8), range(backward, 9, 10)});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].end, seconds(4));
  EXPECT_EQ(steps[1].start, seconds(4));
  EXPECT_EQ(steps[1].end, seconds(8));
}

TEST(NvtxRanges, neither_marks_nor_updates_are_no_steps) {
  EXPECT_TRUE(interop::nvtx_steps({range(NvtxMeaning::backward, 1, 2)}).empty());
  EXPECT_TRUE(interop::nvtx_steps({}).empty());
}

}  // namespace
}  // namespace pipewright::test
