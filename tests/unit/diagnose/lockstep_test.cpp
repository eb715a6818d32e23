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
    EXPECT_EQ(pass.gathers, seconds(1));
    EXPECT_EQ(pass.length, seconds(4));
  }
}

// One second of bytes: what is gathered faster for one is gathered faster for the other.
TEST(Lockstep, bytes_are_of_all_who_gather_together) {
  const Known known = together();
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Lockstep lockstep(evidence);
  for (const OpId cured : known.trace.body) {
    diagnose::Lockstep::Parts parts = lockstep.measured();
    parts.bytes[cured] = seconds(0.25);
    std::vector<Time> lengths = evidence.lengths;
    lockstep.settle(parts, {cured}, lengths);
    for (const OpId body : known.trace.body) EXPECT_EQ(lengths[body], seconds(3.25));
  }
}

// Gradients are summed for 3.5 s of the pass of the slow one, and the others wait for that.
TEST(Lockstep, sums_hold_up_passes_in_which_data_ranks_wait) {
  Known known = together();
  diagnose::PassWindow window{seconds(4), seconds(3), {}};
  window.sums = seconds(3.5);
  known.job.windows = {{window}};
  known.job.operations[1].windows = 0;
  EXPECT_EQ(settled(known, {{1, 1.5}}), (std::vector{seconds(3.5), seconds(3.5)}));
}

// Two groups of one data rank each: neither waits for the other.
TEST(Lockstep, groups_of_data_ranks_are_by_themselves) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  for (TracedOperation& one : all) one.own = seconds(3), one.together = 1;
  EXPECT_EQ(settled(Known(std::move(all)), {{1, 1.5}}), (std::vector{seconds(4), seconds(2.5)}));
}

/// The same passes in two windows of 2 s, in which 1 s is gathered. Rank 1 computes all of the
/// first and 1 s of the second, rank 0 half a second of each.
Known in_windows() {
  Known known = together();
  const diagnose::PassWindow half{seconds(2), seconds(0.5), seconds(1)};
  diagnose::PassWindow full = half, part = half;
  full.own = seconds(2), part.own = seconds(1);
  known.job.windows = {{half, half}, {full, part}};
  for (TracedOperation& one : known.job.operations) one.windows = one.dp_rank;
  return known;
}

// At half the time rank 1 computes 1 s of the first window, and 0.5 s of the second, in which its
// bytes take 1 s besides. At a quarter the first is as long as what is gathered, and the second has
// 0.25 s less. Rank 0 takes 2 s.
TEST(Lockstep, no_window_gets_shorter_than_its_collectives) {
  EXPECT_EQ(settled(in_windows(), {{1, 1.5}}), (std::vector{seconds(2.5), seconds(2.5)}));
  EXPECT_EQ(settled(in_windows(), {{1, 0.75}}), (std::vector{seconds(2.25), seconds(2.25)}));
}

// A pass that hides collectives behind what it computes, and nobody waits in: 4 s, of which 3 s are
// gathered.
TEST(Lockstep, a_pass_by_itself_gets_no_shorter_than_what_it_hides) {
  Known known({operation(OperationKind::forward, 0, 0, 0, 4)});
  known.job.windows = {{{seconds(4), seconds(4), seconds(3)}}};
  known.job.operations[0].windows = 0;
  EXPECT_EQ(settled(known, {{0, 3.5}}), std::vector{seconds(3.5)});
  EXPECT_EQ(settled(known, {{0, 2}}), std::vector{seconds(3)});
  EXPECT_EQ(settled(known, {{0, 5}}), std::vector{seconds(5)});
  EXPECT_TRUE(diagnose::Lockstep(known.evidence()).passes().empty());
}

// The slow one computes for 6 s, the last 4 s of them beside the other, which came late. At half
// the time it takes 3 s from its begin.
TEST(Lockstep, what_a_rank_does_before_the_others_come_is_of_its_pass) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 2, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 6, 1)};
  all[0].own = seconds(1);
  all[1].own = seconds(6);
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  Known known(std::move(all));
  known.job.windows = {{{seconds(6), seconds(6), {}}}};
  for (TracedOperation& one : known.job.operations)
    if (one.dp_rank == 1) one.windows = 0;
  EXPECT_EQ(settled(known, {{1, 2}}), (std::vector{seconds(3), seconds(3)}));
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
