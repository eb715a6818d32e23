#include "diagnose/run_groups.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

RunSlice group_slice(RunSliceKind kind, uint32_t rank, int devices, double length_s = 1) {
  return {.kind = kind, .rank = rank, .devices = devices, .end = seconds(length_s)};
}

/// Two replicas of two context ranks each; the third rank computes twice as long.
RunTrace contexts() {
  RunTrace trace;
  for (int data = 0; data < 4; ++data) {
    trace.ranks.push_back({.data = data});
    const auto rank = static_cast<uint32_t>(data);
    trace.slices.push_back(group_slice(RunSliceKind::forward, rank, 0, rank == 2 ? 2 : 1));
    trace.slices.push_back(group_slice(RunSliceKind::context_group, rank, 2));
    trace.slices.push_back(group_slice(RunSliceKind::data_sum, rank, 4));
  }
  return trace;
}

TEST(RunGroups, context_ranks_are_of_one_replica) {
  const diagnose::RunGroups groups(contexts());
  EXPECT_EQ(groups.degrees().context, 2);
  EXPECT_EQ(groups.place_of(1).data, 0);
  EXPECT_EQ(groups.place_of(1).tensor, 1);
  EXPECT_EQ(groups.place_of(2).data, 1);
  EXPECT_TRUE(groups.stands_for_all(2));
  EXPECT_FALSE(groups.stands_for_all(3));
  ASSERT_EQ(groups.slow_members().size(), 1u);
  EXPECT_EQ(groups.slow_members()[0].name, "context rank 0");
  EXPECT_EQ(groups.slow_members()[0].data, 1);
  EXPECT_EQ(groups.slow_members()[0].slowdown, 2);
}

TEST(RunGroups, data_ranks_share_what_their_collectives_are_of) {
  RunTrace trace = contexts();
  EXPECT_EQ(diagnose::RunGroups(trace).sharing_weights(), 2);  // replicas
  EXPECT_EQ(diagnose::RunGroups(trace).sharing_experts(), 1);
  trace.slices.push_back(group_slice(RunSliceKind::data_gather, 0, 2));  // shards within a replica
  trace.slices.push_back(group_slice(RunSliceKind::expert_group, 0, 4));
  EXPECT_EQ(diagnose::RunGroups(trace).sharing_weights(), 1);
  EXPECT_EQ(diagnose::RunGroups(trace).sharing_experts(), 2);
}

// Two groups of two data ranks gather weights, and what each has is summed with the other group.
TEST(RunGroups, groups_of_copies_wait_for_each_other) {
  RunTrace trace;
  for (int32_t data = 0; data < 4; ++data) trace.ranks.push_back({.data = data});
  trace.slices.push_back(group_slice(RunSliceKind::data_gather, 0, 2));
  trace.slices.push_back(group_slice(RunSliceKind::data_sum, 0, 2));
  trace.slices.back().scatters = true;
  EXPECT_EQ(diagnose::RunGroups(trace).sharing_weights(), 2);
  trace.slices.push_back(group_slice(RunSliceKind::data_sum, 0, 2));
  EXPECT_EQ(diagnose::RunGroups(trace).sharing_weights(), 4);
}

// Of two tensor ranks the second computes for 6 s, of which 2 s are because of what goes beside it.
TEST(RunGroups, what_is_slowed_beside_communication_makes_no_rank_slow) {
  const auto piece = [](uint32_t rank, double length) {
    return RunSlice{.rank = rank, .start = seconds(1), .end = seconds(1 + length)};
  };
  const RunTrace trace{.ranks = {{.tensor = 0}, {.tensor = 1}},
                       .slices = {piece(0, 4), piece(1, 6)}};
  EXPECT_EQ(diagnose::RunGroups(trace).slow_members().size(), 1u);
  EXPECT_TRUE(diagnose::RunGroups(trace, {Time{}, seconds(2)}).slow_members().empty());
}

}  // namespace
}  // namespace pipewright::test
