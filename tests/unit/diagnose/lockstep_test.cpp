#include "diagnose/lockstep.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// What passes take once their ranks compute so long by themselves.
std::vector<Time> settled(const Known& known, const std::vector<std::pair<size_t, double>>& own_s) {
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Lockstep lockstep(evidence);
  diagnose::Lockstep::Parts parts = lockstep.measured();
  std::vector<OpId> changed;
  for (const auto& [place, own] : own_s) {
    parts.own[known.trace.body[place]] = seconds(own);
    changed.push_back(known.trace.body[place]);
  }
  std::vector<Time> lengths = evidence.lengths, bodies;
  lockstep.settle(parts, changed, lengths);
  for (const OpId body : known.trace.body) bodies.push_back(lengths[body]);
  return bodies;
}

/// Forward passes of 4 s, of which the two data ranks compute 1 s and 3 s themselves.
Known together() {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  all[0].own = seconds(1);
  all[1].own = seconds(3);
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  return Known(std::move(all));
}

// The slow one would compute 1.5 s; its bytes take 1 s.
TEST(Lockstep, all_go_as_fast_as_the_slowest_and_the_bytes_let_them) {
  EXPECT_EQ(settled(together(), {{1, 1.5}}), (std::vector{seconds(2.5), seconds(2.5)}));
}

// The slow one would compute 0.5 s, the other one 1 s.
TEST(Lockstep, the_next_slowest_is_left) {
  EXPECT_EQ(settled(together(), {{1, 0.5}}), (std::vector{seconds(2), seconds(2)}));
  EXPECT_EQ(settled(together(), {{0, 0.25}, {1, 0.5}}), (std::vector{seconds(1.5), seconds(1.5)}));
}

TEST(Lockstep, a_rank_that_is_not_the_slowest_changes_nothing) {
  EXPECT_EQ(settled(together(), {{0, 0.5}}), (std::vector{seconds(4), seconds(4)}));
}

TEST(Lockstep, bytes_are_what_the_slowest_waits_for) {
  const Known known = together();
  const diagnose::Lockstep lockstep(known.evidence());
  ASSERT_EQ(lockstep.passes().size(), 2u);
  for (const diagnose::Lockstep::Pass& pass : lockstep.passes()) {
    EXPECT_EQ(pass.bytes, seconds(1));
    EXPECT_EQ(pass.length, seconds(4));
  }
}

// Two groups of one data rank each: neither waits for the other.
TEST(Lockstep, groups_of_data_ranks_are_by_themselves) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  for (TracedOperation& one : all) one.own = seconds(3), one.together = 1;
  EXPECT_EQ(settled(Known(std::move(all)), {{1, 1.5}}), (std::vector{seconds(4), seconds(2.5)}));
}

TEST(Lockstep, passes_that_nobody_waits_in_are_of_no_lockstep) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1),
                                      operation(OperationKind::forward, 0, 1, 4, 4, 0)};
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  all[0].waits = seconds(1);
  diagnose::leave_lockstep(all);
  EXPECT_EQ(all[0].together, diagnose::all_together);
  EXPECT_EQ(all[1].together, diagnose::all_together);  // the one that the other waits for
  EXPECT_EQ(all[2].together, 0);
}

TEST(Lockstep, passes_that_gather_nothing_are_in_none) {
  const Known known(traced("1f1b", 2, 2, 2, 1));
  const diagnose::Lockstep lockstep(known.evidence());
  EXPECT_TRUE(lockstep.passes().empty());
  EXPECT_FALSE(lockstep.has(known.trace.body[0]));
}

}  // namespace
}  // namespace pipewright::test
