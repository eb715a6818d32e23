#include "diagnose/lockstep.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// Forward passes of 4 s, of which the two data ranks compute 1 s and 3 s themselves.
Known together() {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  all[0].own = seconds(1);
  all[1].own = seconds(3);
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  return Known(std::move(all));
}

TEST(Lockstep, all_go_as_fast_as_the_slowest_and_the_bytes_let_them) {
  const Known known = together();
  const diagnose::Evidence evidence = known.evidence();
  const OpId fast = known.trace.body[0], slow = known.trace.body[1];
  // The slow one would compute 1.5 s; its bytes take 1 s.
  diagnose::Lengths cure = {{slow, seconds(2.5)}};
  diagnose::Lockstep(evidence).shorten(cure);
  EXPECT_EQ(cure, (diagnose::Lengths{{fast, seconds(2.5)}, {slow, seconds(2.5)}}));
}

TEST(Lockstep, the_next_slowest_is_left) {
  const Known known = together();
  const diagnose::Evidence evidence = known.evidence();
  const OpId fast = known.trace.body[0], slow = known.trace.body[1];
  diagnose::Lengths cure = {{slow, seconds(1.5)}};  // it would compute 0.5 s, the other one 1 s
  diagnose::Lockstep(evidence).shorten(cure);
  EXPECT_EQ(cure, (diagnose::Lengths{{fast, seconds(2)}, {slow, seconds(2)}}));
}

TEST(Lockstep, bytes_are_what_the_slowest_waits_for) {
  const Known known = together();
  const OpId fast = known.trace.body[0], slow = known.trace.body[1];
  EXPECT_EQ(diagnose::Lockstep(known.evidence()).without_bytes(),
            (diagnose::Lengths{{fast, seconds(3)}, {slow, seconds(3)}}));
}

// Two groups of one data rank each: neither waits for the other.
TEST(Lockstep, groups_of_data_ranks_are_by_themselves) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  for (TracedOperation& one : all) one.own = seconds(3), one.together = 1;
  const Known known(std::move(all));
  diagnose::Lengths cure = {{known.trace.body[1], seconds(2.5)}};
  diagnose::Lockstep(known.evidence()).shorten(cure);
  EXPECT_EQ(cure, (diagnose::Lengths{{known.trace.body[1], seconds(2.5)}}));
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

TEST(Lockstep, passes_that_gather_nothing_are_left_alone) {
  const Known known(traced("1f1b", 2, 2, 2, 1));
  diagnose::Lengths cure = {{known.trace.body[0], seconds(0.5)}};
  diagnose::Lockstep(known.evidence()).shorten(cure);
  EXPECT_EQ(cure, (diagnose::Lengths{{known.trace.body[0], seconds(0.5)}}));
}

}  // namespace
}  // namespace pipewright::test
