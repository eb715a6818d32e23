#include "diagnose/launch_gaps.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

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
