#include "diagnose/sum_queues.hpp"

#include <gtest/gtest.h>

#include "diagnose/cures.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// A backward pass of 10 s on one data rank and of 5 s on the other. From 2 s on the first one sums
/// gradients for `beside` seconds beside it, then both sum what is left for 4 s.
Known summing(double beside) {
  using enum OperationKind;
  Known known({operation(backward, 0, 0, 0, 10, 0), operation(backward, 0, 0, 0, 5, 1),
               operation(grads_reduce_scatter, 0, -1, 10, 4, 0),
               operation(grads_reduce_scatter, 0, -1, 10, 4, 1)});
  diagnose::PassWindow first{seconds(2), seconds(2), {}}, second{seconds(8), seconds(8), {}};
  second.sums = seconds(beside);
  known.job.windows = {{first, second}};
  known.job.operations[0].windows = 0;
  return known;
}

/// The step when the slow pass takes `length`.
double step_with_pass_of(double length, double beside) {
  const Known known = summing(beside);
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  EXPECT_NEAR(cures.none().step_s, 14, 1e-9);
  diagnose::Candidate one{.aspect = diagnose::Aspect::device};
  one.cure = {{known.trace.body[0], seconds(length)}};
  return cures.with(one, cures.none()).step_s;
}

// Of a pass of 5 s sums begin after 1 s, and take 8 s and 4 s.
TEST(SumQueues, what_passes_no_longer_hide_sticks_out_behind_them) {
  EXPECT_NEAR(step_with_pass_of(5, 8), 13, 1e-9);
}

TEST(SumQueues, what_a_shorter_pass_hides_costs_nothing) {
  EXPECT_NEAR(step_with_pass_of(5, 3), 9, 1e-9);
}

// Law: a faster pass makes no step longer, and none shorter than its sums.
TEST(SumQueues, steps_are_no_shorter_than_sums) {
  double before = 14;
  for (const double length : {9.0, 7.0, 6.0}) {
    const double step = step_with_pass_of(length, 8);
    EXPECT_LE(step, before);
    EXPECT_GE(step, 8 + 4);
    before = step;
  }
}

// The second rank's sums are behind no pass of its own that hides any.
TEST(SumQueues, passes_without_sums_delay_nothing) {
  const Known known = summing(8);
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  diagnose::Candidate one{.aspect = diagnose::Aspect::device};
  one.cure = {{known.trace.body[2], seconds(1)}};
  EXPECT_NEAR(cures.with(one, cures.none()).step_s, 14, 1e-9);
}

// On other tensor ranks half of what this pass hides is hidden, and a quarter of what sticks out
// does. A pass of 2.5 s hides 2 s of these 4 s: sums go on for 2 s and 1 s behind it.
TEST(SumQueues, of_faster_sums_is_hidden_what_other_tensor_ranks_hide) {
  Known known = summing(8);
  for (const size_t sum : {1, 3}) {
    known.job.operations[sum].elsewhere = 0.25;
    known.job.operations[sum].hidden_elsewhere = 0.5;
  }
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  diagnose::Candidate link{.aspect = diagnose::Aspect::message};
  link.cure = {{known.trace.body[1], seconds(1)}, {known.trace.body[3], seconds(1)}};
  diagnose::Candidate devices{.aspect = diagnose::Aspect::device};
  devices.cure = {{known.trace.body[0], seconds(2.5)}, {known.trace.body[2], seconds(2)}};
  const diagnose::Cured faster_sums = cures.with(link, cures.none());
  EXPECT_NEAR(faster_sums.step_s, 11, 1e-9);
  EXPECT_NEAR(cures.with(devices, faster_sums).step_s, 5.5, 1e-9);
}

}  // namespace
}  // namespace pipewright::test
