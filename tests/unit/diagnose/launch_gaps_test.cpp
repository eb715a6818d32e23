#include "diagnose/launch_gaps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

const Cause* cause_called(const Diagnosis& found, const std::string& who) {
  const auto cause = std::ranges::find(found.causes, who, &Cause::who);
  return cause == found.causes.end() ? nullptr : &*cause;
}

/// Of two replicas one is late by a second before its backward; both begin a step when both have
/// ended the one before.
std::vector<TracedOperation> late_replica(int32_t steps) {
  std::vector<TracedOperation> all;
  for (int32_t step = 0; step < steps; ++step)
    for (const int32_t data : {0, 1}) {
      all.push_back(operation(forward, 0, 0, 4 * step, 1, data, step));
      all.push_back(operation(backward, 0, 0, 4 * step + 1 + data, 2, data, step));
    }
  return all;
}

/// Two stages and two replicas; the first one's second stage is late by three seconds before its
/// backward. That stage updates for six seconds, while the first one is in its next step.
std::vector<TracedOperation> late_before_long_update(int32_t steps) {
  std::vector<TracedOperation> all;
  for (int32_t step = 0; step < steps; ++step)
    for (const int32_t data : {0, 1}) {
      const auto add = [&](OperationKind kind, int32_t stage, double start, double end) {
        const int32_t micro_batch = kind <= backward_recv ? 0 : -1;
        all.push_back(operation(kind, stage, micro_batch, start, end - start, data, step));
      };
      // When the second stage receives; the first begins its first step a second before.
      const double t = 1 + 14 * step, sent = step == 0 ? t : t - 2, late = data == 0 ? 3 : 0;
      add(forward, 0, sent - 1, sent);
      add(forward_send, 0, sent, t + 1);
      add(forward_recv, 1, t, t + 1);
      add(forward, 1, t + 1, t + 2);
      add(backward, 1, t + 2 + late, t + 4 + late);
      add(backward_send, 1, t + 4 + late, t + 5 + late);
      add(backward_recv, 0, t + 4 + late, t + 5 + late);
      add(grads_reduce_scatter, 1, t + 4 + late, t + 8);
      add(backward, 0, t + 5 + late, t + 7 + late);
      add(grads_reduce_scatter, 0, t + 7 + late, t + 11);
      add(optimizer, 1, t + 8, t + 14);
    }
  return all;
}

void expect_launch_gaps_cost(const std::vector<TracedOperation>& job, double cost_s) {
  const Diagnosis found = diagnose::diagnose_operations(job, "t");
  const Cause* const gaps = cause_called(found, "launch gaps");
  ASSERT_NE(gaps, nullptr);
  EXPECT_NEAR(gaps->recovered_s, cost_s, 1e-9);
  EXPECT_NEAR(gaps->attributed_s, cost_s, 1e-9);
}

TEST(LaunchGaps, equal_steps_recover_as_much_as_one_where_all_ranks_wait_for_the_last) {
  for (const int32_t steps : {1, 2, 4}) expect_launch_gaps_cost(late_replica(steps), 1);
}

TEST(LaunchGaps, equal_steps_recover_as_much_as_one_where_they_run_into_each_other) {
  for (const int32_t steps : {1, 2, 4}) expect_launch_gaps_cost(late_before_long_update(steps), 3);
}

// Forwards take 1 s, backwards 2 s and messages 1 s; the second of three stages begins 5 s late.
TEST(LaunchGaps, a_stage_that_waits_for_a_late_one_does_not_begin_late) {
  expect_launch_gaps_cost(
      {operation(forward, 0, 0, 0, 1), operation(forward_send, 0, 0, 1, 1),
       operation(forward_recv, 1, 0, 1, 1), operation(forward, 1, 0, 7, 1),
       operation(forward_send, 1, 0, 8, 1), operation(forward_recv, 2, 0, 8, 1),
       operation(forward, 2, 0, 9, 1), operation(backward, 2, 0, 10, 2),
       operation(backward_send, 2, 0, 12, 1), operation(backward_recv, 1, 0, 12, 1),
       operation(backward, 1, 0, 13, 2), operation(backward_send, 1, 0, 15, 1),
       operation(backward_recv, 0, 0, 15, 1), operation(backward, 0, 0, 16, 2)},
      5);
}

TEST(LaunchGaps, both_kinds_are_told_apart) {
  // Rank 1 begins half a second late, rank 0 is late by a second between its passes.
  const Known known({operation(forward, 0, 0, 0, 1, 0), operation(backward, 0, 0, 2, 2, 0),
                     operation(grads_reduce_scatter, 0, -1, 4, 1, 0),
                     operation(forward, 0, 0, 3, 1, 1), operation(backward, 0, 0, 4, 2, 1),
                     operation(grads_reduce_scatter, 0, -1, 6, 1, 1)});
  const std::vector<Cause> found = diagnose::launch_gaps(known.evidence());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, CauseKind::host);
  EXPECT_EQ(found[0].who, "begin of steps");
  // 7 s become 5 s: then the other rank's gap counts. Both together: 4 s.
  EXPECT_NEAR(found[0].recovered_s, 2, 1e-9);
  double attributed = 0;
  for (const Cause& one : found) attributed += one.attributed_s;
  EXPECT_LE(attributed, 3 + 1e-9);
}

// The hosts of two data ranks ask for their first pass after half a second and after one.
TEST(LaunchGaps, where_launches_are_known_late_hosts_stand_in_the_step) {
  std::vector<TracedOperation> all = {operation(forward, 0, 0, 0.5, 1, 0),
                                      operation(backward, 0, 0, 1.5, 2, 0),
                                      operation(grads_reduce_scatter, 0, -1, 3.5, 1.5, 0),
                                      operation(forward, 0, 0, 1, 1, 1),
                                      operation(backward, 0, 0, 2, 2, 1),
                                      operation(grads_reduce_scatter, 0, -1, 4, 1, 1)};
  for (TracedOperation& one : all) one.since_begin = one.start;
  const Diagnosis found =
      diagnose::diagnose_job({.operations = all, .one_clock = true, .knows_hosts = true}, "t");
  EXPECT_NEAR(found.typical.simulated_s, 5, 1e-9);
  EXPECT_NEAR(found.typical.ideal_s, 4, 1e-9);
  std::vector<std::string> hosts;
  for (const Cause& cause : found.causes)
    if (cause.kind == CauseKind::host) hosts.push_back(cause.who);
  ASSERT_FALSE(hosts.empty());
  EXPECT_EQ(hosts.front(), "begin of steps");
  EXPECT_NEAR(found.causes.front().recovered_s, 1, 1e-9);
  EXPECT_NEAR(found.causes.front().share.value(), 1, 1e-9);
}

TEST(LaunchGaps, without_gaps_there_are_none) {
  EXPECT_TRUE(diagnose::launch_gaps(Known(traced("1f1b", 2, 2, 1, 1)).evidence()).empty());
}

}  // namespace
}  // namespace pipewright::test
