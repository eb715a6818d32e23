#include "diagnose/falling_clocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

diagnose::FallingClocks clocks_of(const Known& known) {
  return diagnose::falling_clocks(known.job, known.trace, diagnose::without_gaps(known.trace));
}

TEST(FallingClocks, a_clock_that_falls_in_the_middle) {
  // From step 6 of 12 on, passes of one rank take 1.4 times as long.
  const Known known(traced("1f1b", 2, 4, 2, 12, [](const TracedOperation& one) {
    return one.dp_rank == 1 && one.stage == 0 && one.step >= 6 ? 1.4 : 1.0;
  }));
  const diagnose::FallingClocks clocks = clocks_of(known);
  ASSERT_EQ(clocks.rise.size(), 4u);
  EXPECT_EQ(clocks.rise[0], 1);
  // All steps of this trace begin at zero, so nothing orders them in time.
  EXPECT_EQ(clocks.rise[2], 1);
}

std::vector<TracedOperation> one_after_another(std::vector<TracedOperation> all) {
  for (TracedOperation& one : all) one.start += seconds(100.0 * one.step);
  return all;
}

TEST(FallingClocks, passes_are_compared_with_earlier_ones) {
  const Known known(one_after_another(traced("1f1b", 2, 4, 2, 12, [](const TracedOperation& one) {
    return one.dp_rank == 1 && one.stage == 0 && one.step >= 6 ? 1.4 : 1.0;
  })));
  const diagnose::FallingClocks clocks = clocks_of(known);
  ASSERT_EQ(clocks.rise.size(), 4u);
  EXPECT_EQ(clocks.rise[0], 1);
  EXPECT_NEAR(clocks.rise[2], 1.4, 0.01);
}

TEST(FallingClocks, a_slow_device_and_unequal_sequences_are_none) {
  const Known known(one_after_another(traced("1f1b", 2, 4, 2, 12, [](const TracedOperation& one) {
    const double sequence = 1 + 0.3 * std::sin(1.7 * one.step + 2.3 * one.micro_batch);
    return (one.dp_rank == 1 ? 1.5 : 1.0) * (diagnose::computes(one.kind) ? sequence : 1.0);
  })));
  for (const double rise : clocks_of(known).rise) EXPECT_EQ(rise, 1);
}

TEST(FallingClocks, all_clocks_together_are_one_cause) {
  const auto sick = one_after_another(traced("1f1b", 2, 4, 2, 12, [](const TracedOperation& one) {
    return diagnose::computes(one.kind) ? 1 + 0.04 * one.step : 1.0;
  }));
  const Diagnosis found = diagnose::diagnose_operations(sick, "trace");
  const auto cause = std::ranges::find(found.causes, "clocks of 4 ranks", &Cause::who);
  ASSERT_NE(cause, found.causes.end());
  EXPECT_EQ(cause->kind, CauseKind::worker);
  // Steps of 15 s take 0.22 times as much longer on the mean.
  const Diagnosis healthy =
      diagnose::diagnose_operations(one_after_another(traced("1f1b", 2, 4, 2, 12)), "trace");
  const double cost = 0.22 * healthy.typical.measured_s;
  EXPECT_NEAR(cause->recovered_s, cost, 0.08 * cost);
}

}  // namespace
}  // namespace pipewright::test
