#include "diagnose/stopping_messages.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

diagnose::PassSpan forward_pass(int32_t stage, int32_t micro_batch, int64_t start, int64_t end) {
  return {.pass = {.stage = stage, .micro_batch = micro_batch, .track = stage},
          .start = milliseconds(start),
          .end = milliseconds(end)};
}

/// A message of micro-batch 0 from rank 0 to rank 1, on `track`.
RunTrace trace_of(int64_t start, int64_t end, int64_t track = 9) {
  return {.ranks = {{.pipeline = 0}, {.pipeline = 1}},
          .slices = {{.kind = RunSliceKind::message,
                      .rank = 0,
                      .track = track,
                      .to_rank = 1,
                      .start = milliseconds(start),
                      .end = milliseconds(end)}}};
}

// Rank 1 computes until 5 ms, so rank 0 waits from 2 ms on.
const std::vector<std::vector<diagnose::PassSpan>> passes = {
    {forward_pass(0, 0, 0, 2), forward_pass(0, 1, 6, 8)},
    {forward_pass(1, 7, 0, 5), forward_pass(1, 0, 6, 9)}};

TEST(StoppingMessages, what_both_sides_wait_for_stops_them) {
  EXPECT_TRUE(diagnose::messages_stop_ranks(trace_of(5, 6), passes));
}

TEST(StoppingMessages, what_leaves_at_once_stops_nobody) {
  EXPECT_FALSE(diagnose::messages_stop_ranks(trace_of(2, 3), passes));
  std::vector<std::vector<diagnose::PassSpan>> idle = passes;
  idle[1] = {forward_pass(1, 0, 6, 9)};
  EXPECT_FALSE(diagnose::messages_stop_ranks(trace_of(2, 3), idle));
}

TEST(StoppingMessages, what_stands_beside_compute_stops_nobody) {
  EXPECT_FALSE(diagnose::messages_stop_ranks(trace_of(5, 7), passes));
}

TEST(StoppingMessages, a_message_on_a_lane_is_no_free_one) {
  EXPECT_FALSE(diagnose::messages_stop_ranks(trace_of(5, 6, 0), passes));
}

}  // namespace
}  // namespace pipewright::test
