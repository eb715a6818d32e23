#include "diagnose/host_ranges.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

using diagnose::HostRanges;

TEST(HostRanges, a_time_is_in_the_mark_that_began_last) {
  TorchTrace trace;
  trace.kernel("f", 0, 1, 0).range("ProfilerStep#4", 0, 10).range("ProfilerStep#5", 20, 10);
  const RankProfile profile = profile_of(trace);
  const HostRanges host(profile);
  ASSERT_EQ(host.marks().size(), 2u);
  EXPECT_EQ(host.mark_at(microseconds(5)), 0u);
  EXPECT_EQ(host.mark_at(microseconds(25)), 1u);
  EXPECT_EQ(host.mark_at(microseconds(15)), 2u);
  EXPECT_EQ(host.mark_at(microseconds(10)), 2u) << "it is over";
}

TEST(HostRanges, actions_are_found_by_the_time_of_a_launch) {
  TorchTrace trace;
  trace.kernel("f", 0, 1, 0).range("PP:0F0", 0, 10).range("PP:(0F1;3B0)OVERLAP_F_B", 20, 10);
  const RankProfile profile = profile_of(trace);
  const HostRanges host(profile);
  EXPECT_EQ(host.actions().size(), 3u);
  EXPECT_EQ(host.actions_at(microseconds(5)), std::pair(size_t{0}, size_t{1}));
  EXPECT_EQ(host.actions_at(microseconds(21)), std::pair(size_t{1}, size_t{2}));
  EXPECT_EQ(host.actions_at(microseconds(15)).second, 0u);
  EXPECT_EQ(host.actions_at(microseconds(10)).second, 0u) << "it is over";
}

// "Forward 0" may be the first layer of a user's model, once in every micro-batch.
TEST(HostRanges, a_pass_that_stands_twice_in_a_step_is_no_action) {
  TorchTrace trace;
  trace.kernel("f", 0, 1, 0).range("ProfilerStep#1", 0, 100).range("ProfilerStep#2", 100, 100);
  trace.range("Forward 0", 10, 10).range("Forward 0", 110, 10);
  const RankProfile once = profile_of(trace);
  EXPECT_EQ(HostRanges(once).actions().size(), 2u);
  trace.range("Forward 0", 130, 10);
  const RankProfile twice = profile_of(trace);
  EXPECT_TRUE(HostRanges(twice).actions().empty());
}

}  // namespace
}  // namespace pipewright::test
