#include "diagnose/overlapped_pair.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

diagnose::DeviceOp kernel(int64_t start, int64_t end, ComputeKind compute) {
  return {.start = milliseconds(start), .end = milliseconds(end), .compute = compute};
}

diagnose::DeviceOp exchange(int64_t start, int64_t end) {
  return {.start = milliseconds(start),
          .end = milliseconds(end),
          .communicates = true,
          .traffic = Traffic::expert};
}

constexpr ComputeKind forward_kind = ComputeKind::forward, backward_kind = ComputeKind::backward;

TEST(OverlappedPair, exchanges_are_hidden_behind_both_directions) {
  EXPECT_TRUE(diagnose::is_overlapped_pair(
      {.ops = {kernel(0, 10, forward_kind), exchange(2, 19), kernel(10, 20, backward_kind)}}));
}

TEST(OverlappedPair, exchanges_that_nothing_hides_are_of_passes_by_themselves) {
  EXPECT_FALSE(diagnose::is_overlapped_pair(
      {.ops = {kernel(0, 10, forward_kind), exchange(10, 20), kernel(20, 30, backward_kind)}}));
}

TEST(OverlappedPair, shared_experts_hide_those_of_their_own_direction) {
  EXPECT_FALSE(diagnose::is_overlapped_pair(
      {.ops = {kernel(0, 10, forward_kind), exchange(0, 10), kernel(10, 20, backward_kind)}}));
}

TEST(OverlappedPair, without_exchanges_there_is_none) {
  EXPECT_FALSE(diagnose::is_overlapped_pair(
      {.ops = {kernel(0, 10, forward_kind), kernel(10, 20, backward_kind)}}));
}

}  // namespace
}  // namespace pipewright::test
