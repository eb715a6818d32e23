#include "diagnose/slow_collectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

/// A forward pass of 4 s on each of two stages, of which the rank computes so much itself and waits
/// for the rest for weights.
Known waiting(double first_own_s, double second_own_s) {
  std::vector<TracedOperation> all = {operation(forward, 0, 0, 0, 4),
                                      operation(forward, 1, 0, 4, 4)};
  all[0].own = seconds(first_own_s);
  all[1].own = seconds(second_own_s);
  for (TracedOperation& one : all) one.together = 1;
  return Known(std::move(all));
}

std::vector<diagnose::Candidate> found_in(const Known& known) {
  const diagnose::Evidence evidence = known.evidence();
  diagnose::SlowCollectives collectives(evidence);
  collectives.add(diagnose::Lockstep(evidence));
  return std::move(collectives).finish();
}

TEST(SlowCollectives, a_stage_whose_passes_wait_longer_for_bytes_is_named) {
  const Known known = waiting(1, 3.5);
  const std::vector<diagnose::Candidate> found = found_in(known);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "data collectives of stage 0");
  // It would wait for half a second, as the other stage does.
  ASSERT_EQ(found[0].cure.size(), 1u);
  EXPECT_EQ(found[0].cure[0], (std::pair{known.trace.body[0], seconds(1.5)}));
}

// A job of one stage has no others. Of 3 s that its pass waits for bytes other tensor ranks wait 1.
TEST(SlowCollectives, other_tensor_ranks_show_what_is_usual_of_one_stage) {
  std::vector<TracedOperation> all = {operation(forward, 0, 0, 0, 4)};
  all[0].own = seconds(1);
  all[0].together = 1;
  EXPECT_TRUE(found_in(Known(all)).empty());
  all[0].elsewhere = 1.0 / 3;
  const Known known(all);
  const std::vector<diagnose::Candidate> found = found_in(known);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "data collectives of stage 0");
  ASSERT_EQ(found[0].cure.size(), 1u);
  EXPECT_NEAR(in_seconds(found[0].cure[0].second), 2, 1e-9);
}

TEST(SlowCollectives, stages_that_wait_alike_are_not_slow) {
  EXPECT_TRUE(found_in(waiting(2, 2)).empty());
}

}  // namespace
}  // namespace pipewright::test
