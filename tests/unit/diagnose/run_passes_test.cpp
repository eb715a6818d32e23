#include "diagnose/run_passes.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using Kind = RunSliceKind;

RunSlice pass_slice(Kind kind, int32_t stage, int32_t micro_batch, int64_t start, int64_t end) {
  return {.kind = kind,
          .stage = stage,
          .micro_batch = micro_batch,
          .start = milliseconds(start),
          .end = milliseconds(end)};
}

TEST(RunPasses, pieces_are_one_pass_with_what_stands_between_them) {
  diagnose::RunPasses passes;
  passes.add(pass_slice(Kind::forward, 0, 0, 0, 2));
  passes.add(pass_slice(Kind::forward, 0, 0, 3, 5));  // a collective stands before it
  passes.add(pass_slice(Kind::forward, 0, 1, 5, 6));
  const std::vector<diagnose::PassSpan> all = passes.in_order();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].start, Time{});
  EXPECT_EQ(all[0].end, milliseconds(5));
  EXPECT_EQ(all[1].pass.micro_batch, 1);
  EXPECT_FALSE(all[0].overlaps_next);
}

TEST(RunPasses, pieces_that_alternate_take_the_time_as_they_compute) {
  diagnose::RunPasses passes;
  passes.add(pass_slice(Kind::forward, 0, 1, 0, 1));
  passes.add(pass_slice(Kind::backward, 0, 0, 1, 3));
  passes.add(pass_slice(Kind::forward, 0, 1, 3, 4));
  passes.add(pass_slice(Kind::backward, 0, 0, 4, 8));
  const std::vector<diagnose::PassSpan> all = passes.in_order();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].overlaps_next);
  EXPECT_EQ(all[0].end, milliseconds(2));  // 2 of 8 ms
  EXPECT_EQ(all[1].start, milliseconds(2));
  EXPECT_EQ(all[1].end, milliseconds(8));
}

// Alone a forward takes 1 ms, a backward 3: of a pair of 8 ms they have 2 and 6.
TEST(RunPasses, a_pair_is_divided_by_what_its_kinds_take_alone) {
  diagnose::RunPasses passes;
  passes.add(pass_slice(Kind::forward, 0, 0, 0, 1));
  passes.add(pass_slice(Kind::input_gradient, 0, 9, 20, 21));
  passes.add(pass_slice(Kind::weight_gradient, 0, 9, 21, 23));
  RunSlice pair = pass_slice(Kind::pair, 0, 1, 1, 9);
  pair.second_micro_batch = 5;
  pair.first_goes_back = true;
  passes.add(pair);
  const std::vector<diagnose::PassSpan> all = passes.in_order();
  ASSERT_EQ(all.size(), 5u);
  for (const diagnose::PassSpan& one : all) {
    const int64_t micro_batch = one.pass.micro_batch;
    if (micro_batch == 1 || micro_batch == 5) {
      EXPECT_EQ(one.end - one.start, milliseconds(micro_batch == 1 ? 6 : 2));
    }
  }
}

TEST(RunPasses, passes_that_compute_nothing_have_an_order) {
  diagnose::RunPasses passes;
  for (const int32_t micro_batch : {0, 1})
    for (const int64_t at : {micro_batch, 10})
      passes.add(pass_slice(Kind::forward, 0, micro_batch, at, at));
  const std::vector<diagnose::PassSpan> all = passes.in_order();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].end, Time{});
  EXPECT_EQ(all[1].end, milliseconds(10));
}

TEST(RunPasses, tracks_do_not_share_time) {
  diagnose::RunPasses passes;
  passes.add(pass_slice(Kind::forward, 0, 1, 0, 4));
  RunSlice beside = pass_slice(Kind::backward, 0, 0, 1, 5);
  beside.track = 1;
  passes.add(beside);
  for (const diagnose::PassSpan& one : passes.in_order())
    EXPECT_EQ(one.end - one.start, milliseconds(4));
}

}  // namespace
}  // namespace pipewright::test
