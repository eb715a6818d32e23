#include "diagnose/shifted_clocks.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

std::vector<TracedOperation> shifted(int stage, double by_s) {
  std::vector<TracedOperation> all = traced("1f1b", 4, 6, 1, 1);
  for (TracedOperation& one : all)
    if (one.stage == stage) one.start += seconds(by_s);
  return all;
}

TEST(ShiftedClocks, right_ones_are_left) {
  diagnose::MeasuredJob job = diagnose::measured_job(shifted(0, 0), "t");
  const diagnose::ShiftedClocks found = diagnose::shift_clocks(job);
  EXPECT_EQ(found.ranks, 0);
  EXPECT_TRUE(found.contradiction.empty());
}

// But for what a message takes: that is on the clock of the one who receives it.
TEST(ShiftedClocks, one_that_is_off_is_put_right) {
  for (const int stage : {0, 1, 3})
    for (const double by_s : {-100.0, 7.0}) {
      diagnose::MeasuredJob job = diagnose::measured_job(shifted(stage, by_s), "t");
      const diagnose::MeasuredJob right = diagnose::measured_job(shifted(0, 0), "t");
      EXPECT_GE(diagnose::shift_clocks(job).ranks, 1);
      for (size_t i = 0; i < job.operations.size(); ++i)
        EXPECT_NEAR(in_seconds(job.operations[i].start - job.operations[0].start),
                    in_seconds(right.operations[i].start - right.operations[0].start), 0.1 + 1e-6);
    }
}

// Half of the ranks take twice as long for all they do.
TEST(ShiftedClocks, ranks_of_two_jobs_are_told) {
  std::vector<TracedOperation> all = traced("1f1b", 4, 6, 1, 1);
  for (TracedOperation& one : all)
    if (one.stage >= 2) one.start += one.start, one.duration += one.duration;
  diagnose::MeasuredJob job = diagnose::measured_job(std::move(all), "t");
  EXPECT_NE(diagnose::shift_clocks(job).contradiction.find("feed each other"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
