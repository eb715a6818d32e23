#include "result/result.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Metrics measure_schedule(const Schedule& schedule, const Times& times, Bytes activation = {}) {
  std::vector<StageWork> stages = stages_of(schedule, times);
  for (StageWork& stage : stages) stage.activation = activation;
  const Program program =
      lower({.schedule = schedule, .stages = stages, .grid = grid_of(schedule.ranks())});
  const Timeline timeline = simulate(program, fixed_durations(program, times.hop));
  Metrics metrics = measure(program, timeline, schedule, {});
  metrics.bounds = bounds(program, timeline);
  return metrics;
}

/// F 10, B 20, hop 1.
Times times() {
  Times times;
  times.forward = picoseconds(10);
  times.backward = picoseconds(20);
  times.hop = picoseconds(1);
  return times;
}

// GPipe on 2 ranks, 2 micro-batches: rank 0 F 0-20, B 52-92; rank 1 F 11-31, B 31-71.
TEST(Measure, gpipe_of_two_ranks) {
  const Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 2}, config::scalar("gpipe"));
  const Metrics metrics = measure_schedule(schedule, times(), Bytes{100});
  EXPECT_EQ(metrics.makespan.ps, 92);
  EXPECT_EQ(metrics.iteration.ps, 92);
  EXPECT_DOUBLE_EQ(metrics.bubble_fraction(), 30 / 92.0);
  EXPECT_DOUBLE_EQ(metrics.idle_fraction, 32 / 92.0);
  EXPECT_EQ(metrics.max_span.ps, 92);
  ASSERT_EQ(metrics.ranks.size(), 2u);
  EXPECT_EQ(metrics.ranks[1].span.ps, 60);
  EXPECT_EQ(metrics.ranks[1].compute.ps, 60);
  EXPECT_EQ(metrics.ranks[1].idle.ps, 32);
  EXPECT_EQ(metrics.ranks[0].peak_in_flight, 2);
  EXPECT_EQ(metrics.ranks[0].memory.activations.count, 200);
  // The chain F0 F0 B0 B0 with two hops; the busiest lane 60.
  EXPECT_EQ(metrics.bounds.longest_chain.ps, 62);
  EXPECT_EQ(metrics.bounds.busiest_lane.ps, 60);
  // Critical path: 0F0 hop 1F0 1F1 1B0 1B1 hop 0B1: F 30, B 60, hops 2.
  EXPECT_EQ(metrics.critical_path.forward.ps, 30);
  EXPECT_EQ(metrics.critical_path.backward.ps, 60);
  EXPECT_EQ(metrics.critical_path.communication[0].ps, 2);
}

// Rank 1 waits 10 for F0 and 1 for its transfer, at the end 1 for its last gradient to leave and 20
// for rank 0. Rank 0 waits 1 while F1 is sent, 30 for F1 and B0, and 1 for the gradient of B0.
TEST(Measure, a_rank_waits_for_messages_under_way_and_for_other_ranks) {
  const Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 2}, config::scalar("gpipe"));
  const Metrics metrics = measure_schedule(schedule, times());
  Breakdown expected;
  expected[ComputeKind::forward] = picoseconds(20);
  expected[ComputeKind::backward] = picoseconds(40);
  expected[Traffic::pipeline] = picoseconds(2);
  expected.bubble = picoseconds(30);
  EXPECT_EQ(metrics.ranks[0].breakdown, expected);
  EXPECT_EQ(metrics.ranks[1].breakdown, expected);
  EXPECT_EQ(metrics.breakdown, expected);
}

TEST(Measure, iterations_of_a_synchronous_schedule_do_not_change_the_first) {
  const Schedule once = schedule::build({.ranks = 3, .micro_batches = 4}, config::scalar("1f1b"));
  const Schedule thrice =
      schedule::build({.ranks = 3, .micro_batches = 4, .iterations = 3}, config::scalar("1f1b"));
  EXPECT_EQ(measure_schedule(once, times()).iteration, measure_schedule(thrice, times()).iteration);
}

}  // namespace
}  // namespace pipewright::test
