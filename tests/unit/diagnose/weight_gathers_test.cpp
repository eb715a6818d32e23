#include "diagnose/weight_gathers.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

RunSlice gather_slice(RunSliceKind kind, int64_t start, int64_t end) {
  return {.kind = kind, .start = milliseconds(start), .end = milliseconds(end)};
}

diagnose::PassSpan backward_from(int64_t start) {
  return {.pass = {.kind = OperationKind::backward},
          .start = milliseconds(start),
          .end = milliseconds(start + 8),
          .computing = milliseconds(8)};
}

const RunTrace one_gather{.ranks = {{}},
                          .slices = {gather_slice(RunSliceKind::data_gather, 9, 12)}};

TEST(WeightGathers, a_pass_begins_with_the_gather_that_it_waits_for) {
  const diagnose::WeightGathers gathers(one_gather);
  EXPECT_EQ(gathers.begin_of(0, backward_from(12), milliseconds(7)), milliseconds(9));
  EXPECT_EQ(gathers.begin_of(0, backward_from(12), milliseconds(10)), milliseconds(10));
}

TEST(WeightGathers, a_gather_waits_for_the_collectives_right_before_it) {
  RunTrace trace = one_gather;
  trace.slices.push_back(gather_slice(RunSliceKind::data_sum, 5, 9));
  trace.slices.push_back(gather_slice(RunSliceKind::data_sum, 0, 4));
  const diagnose::WeightGathers gathers(trace);
  EXPECT_EQ(gathers.begin_of(0, backward_from(12), milliseconds(3)), milliseconds(5));
  EXPECT_EQ(gathers.begin_of(0, backward_from(12), milliseconds(7)), milliseconds(7));
}

TEST(WeightGathers, one_that_ended_before_lets_nobody_wait) {
  const diagnose::WeightGathers gathers(one_gather);
  EXPECT_EQ(gathers.begin_of(0, backward_from(13), milliseconds(7)), milliseconds(13));
}

TEST(WeightGathers, until_its_message_has_come_a_pass_waits_for_that) {
  RunTrace trace = one_gather;
  RunSlice message = gather_slice(RunSliceKind::message, 10, 11);
  message.back = true;
  message.stage = 1;  // to stage 0
  message.to_rank = 0;
  trace.slices.push_back(message);
  const diagnose::WeightGathers gathers(trace);
  EXPECT_EQ(gathers.begin_of(0, backward_from(12), milliseconds(7)), milliseconds(11));
}

TEST(WeightGathers, what_is_gathered_while_a_pass_runs_is_within_it) {
  const diagnose::WeightGathers gathers(one_gather);
  EXPECT_TRUE(gathers.meets_within(0, backward_from(10), milliseconds(10)));
  EXPECT_TRUE(gathers.meets_within(0, backward_from(12), milliseconds(9)));
  EXPECT_FALSE(gathers.meets_within(0, backward_from(12), milliseconds(12)));
  EXPECT_FALSE(gathers.meets_within(0, backward_from(0), milliseconds(0)));
}

TEST(WeightGathers, sums_are_met_in_passes_as_gathers_are) {
  RunTrace trace = one_gather;
  trace.slices.push_back(gather_slice(RunSliceKind::data_sum, 11, 20));
  const diagnose::WeightGathers gathers(trace);
  EXPECT_TRUE(gathers.meets_within(0, backward_from(12), milliseconds(12)));
  // Both together from 9 to 20; what overlaps counts once.
  EXPECT_EQ(gathers.beside(0, milliseconds(0), milliseconds(30)), milliseconds(11));
  EXPECT_EQ(gathers.beside(0, milliseconds(10), milliseconds(15)), milliseconds(5));
}

}  // namespace
}  // namespace pipewright::test
