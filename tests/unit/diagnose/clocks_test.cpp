#include "diagnose/clocks.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(Clocks, offsets_and_drifts_are_found) {
  std::vector<TracedOperation> all = traced("1f1b", 3, 6, 2, 3);
  for (TracedOperation& one : all) {
    one.start += seconds(100.0 * one.step);
    if (one.stage != 1 || one.dp_rank != 1) continue;
    one.start += seconds(0.02 + 1e-4 * in_seconds(one.start));
    one.duration += seconds(1e-4 * in_seconds(one.duration));
  }
  diagnose::MeasuredJob job = diagnose::measured_job(all, "t");
  const diagnose::Clocks clocks = diagnose::compare_clocks(job);
  // Of six ranks one is off: the mean moves by a sixth.
  EXPECT_NEAR(clocks.drift[4] - clocks.drift[0], -1e-4, 1e-6);
  EXPECT_LT(clocks.error_s, 1e-6);
  EXPECT_EQ(diagnose::align(job, clocks), 6);
  const diagnose::Clocks after = diagnose::compare_clocks(job);
  EXPECT_LT(after.largest({}, seconds(300)), 1e-5);
}

TEST(Clocks, those_that_agree_are_left_alone) {
  diagnose::MeasuredJob job = diagnose::measured_job(traced("gpipe", 2, 4, 2, 2), "t");
  const std::vector<TracedOperation> before = job.operations;
  EXPECT_EQ(diagnose::align(job, diagnose::compare_clocks(job)), 0);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(job.operations[i].start, before[i].start);
}

TEST(Clocks, without_communication_nothing_is_known) {
  diagnose::MeasuredJob job =
      diagnose::measured_job({operation(OperationKind::forward, 0, 0, 0, 1)}, "t");
  EXPECT_EQ(diagnose::compare_clocks(job).groups, 0u);
}

}  // namespace
}  // namespace pipewright::test
