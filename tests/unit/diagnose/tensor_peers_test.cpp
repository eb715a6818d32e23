#include "diagnose/tensor_peers.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/run_slices.hpp"

namespace pipewright::test {
namespace {

/// Two data ranks of four tensor ranks. All compute until 10 ms; then the data ranks of each tensor
/// rank sum gradients, from 8 ms to `ends` in ms.
RunTrace four_groups(const std::vector<int64_t>& ends) {
  RunTrace trace;
  for (int32_t data = 0; data < 2; ++data)
    for (int32_t tensor = 0; tensor < 4; ++tensor) {
      const auto rank = static_cast<uint32_t>(trace.ranks.size());
      trace.ranks.push_back({.tensor = tensor, .data = data});
      trace.slices.push_back(run_slice(RunSliceKind::forward, rank, 0, 0, 0, 10));
      RunSlice sum = run_slice(RunSliceKind::data_sum, rank, 0, 0, 8, ends[tensor]);
      sum.devices = 2;
      trace.slices.push_back(sum);
      trace.slices.push_back(run_slice(RunSliceKind::tensor_group, rank, 0, 0, 4, 5));
      trace.slices.back().devices = 4;
    }
  return trace;
}

TEST(TensorPeers, a_step_waits_for_the_tensor_rank_that_ends_last) {
  const RunTrace trace = four_groups({14, 14, 30, 14});
  const diagnose::RunGroups groups(trace);
  const diagnose::TensorPeers peers(trace, groups);
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    EXPECT_EQ(peers.is_last(rank), rank % 4 == 2) << rank;
    EXPECT_EQ(peers.standing(rank), rank / 4 * 4) << rank;
  }
}

// It sticks out for 20 ms where others stick out for 4; in all it takes 22 ms where they take 6.
TEST(TensorPeers, the_other_tensor_ranks_show_what_is_usual) {
  const RunTrace trace = four_groups({14, 14, 30, 14});
  const diagnose::RunGroups groups(trace);
  const diagnose::TensorPeers peers(trace, groups);
  const RunSlice& slow = trace.slices[2 * 3 + 1];
  EXPECT_NEAR(peers.behind(slow, milliseconds(10)), 4.0 / 20, 1e-9);
  EXPECT_NEAR(peers.within(2), 6.0 / 22, 1e-9);
  EXPECT_DOUBLE_EQ(peers.within(0), 1);
}

// Passes that end at 20 ms hide 12 of the 22 ms, and all 6 ms of others.
TEST(TensorPeers, the_other_tensor_ranks_show_what_is_usually_hidden) {
  const RunTrace trace = four_groups({14, 14, 30, 14});
  const diagnose::RunGroups groups(trace);
  const diagnose::TensorPeers peers(trace, groups);
  const RunSlice& slow = trace.slices[2 * 3 + 1];
  EXPECT_NEAR(peers.hidden(slow, milliseconds(20)), 6.0 / 12, 1e-9);
  EXPECT_DOUBLE_EQ(peers.hidden(slow, milliseconds(10)), 1);
}

// Tensor rank 1 of data rank 0 is a slow device, and stands for its group. The sums of tensor rank
// 0 end last: they are looked at on both data ranks.
TEST(TensorPeers, all_replicas_show_the_same_of_collectives_that_differ) {
  RunTrace trace = four_groups({30, 14, 14, 14});
  trace.slices[3 * 1].end = milliseconds(12);
  const diagnose::RunGroups groups(trace);
  const diagnose::TensorPeers peers(trace, groups);
  EXPECT_TRUE(groups.stands_for_all(1));
  EXPECT_TRUE(groups.stands_for_all(4));
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank)
    EXPECT_EQ(peers.is_last(rank), rank % 4 == 0) << rank;
}

TEST(TensorPeers, ranks_that_are_alike_stand_where_they_stood) {
  const RunTrace trace = four_groups({14, 14, 14, 14});
  const diagnose::RunGroups groups(trace);
  const diagnose::TensorPeers peers(trace, groups);
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank)
    EXPECT_EQ(peers.is_last(rank), groups.stands_for_all(rank));
  EXPECT_DOUBLE_EQ(peers.within(0), 1);
}

}  // namespace
}  // namespace pipewright::test
