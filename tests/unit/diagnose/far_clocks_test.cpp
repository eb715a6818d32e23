#include "diagnose/far_clocks.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// The clock of data rank 1 of stage 2 is ahead by so many seconds.
std::vector<TracedOperation> with_clock_ahead(double by) {
  std::vector<TracedOperation> all = traced("1f1b", 3, 6, 2, 2);
  for (TracedOperation& one : all)
    if (one.dp_rank == 1 && one.stage == 2) one.start += seconds(by);
  return all;
}

TEST(FarClocks, a_clock_that_is_hours_ahead_is_put_back) {
  diagnose::MeasuredJob right = diagnose::measured_job(with_clock_ahead(0), "t");
  EXPECT_EQ(diagnose::bring_near(right), 0);
  for (const double by : {3600.0, -7200.0}) {
    diagnose::MeasuredJob job = diagnose::measured_job(with_clock_ahead(by), "t");
    EXPECT_NEAR(diagnose::bring_near(job), std::abs(by), 1e-6);
    ASSERT_EQ(job.operations.size(), right.operations.size());
    for (size_t i = 0; i < job.operations.size(); ++i)
      EXPECT_NEAR(in_seconds(job.operations[i].start), in_seconds(right.operations[i].start), 1e-6);
  }
}

TEST(FarClocks, less_than_a_step_is_left_to_least_squares) {
  diagnose::MeasuredJob job = diagnose::measured_job(with_clock_ahead(0.5), "t");
  EXPECT_EQ(diagnose::bring_near(job), 0);
}

TEST(FarClocks, a_diagnosis_does_not_depend_on_them_and_tells_them) {
  const Diagnosis right = diagnose::diagnose_operations(with_clock_ahead(0), "t");
  const Diagnosis found = diagnose::diagnose_operations(with_clock_ahead(3600), "t");
  EXPECT_NEAR(found.typical.measured_s, right.typical.measured_s, 1e-6);
  EXPECT_NEAR(found.typical.simulated_s, right.typical.simulated_s, 1e-6);
  EXPECT_NEAR(found.clocks.largest_s, 3600, 1e-3);
  ASSERT_EQ(found.notes.size(), right.notes.size() + 1);
  EXPECT_EQ(found.notes.back().substr(0, 28), "clocks of ranks are apart by");
}

}  // namespace
}  // namespace pipewright::test
