#include "diagnose/paired_passes.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

diagnose::MeasuredJob job_with(double backward_start) {
  return diagnose::measured_job({operation(OperationKind::forward, 0, 1, 0, 1),
                                 operation(OperationKind::backward, 0, 0, backward_start, 2)},
                                "test");
}

TEST(PairedPasses, the_schedule_says_which_passes_are_one_pair) {
  diagnose::MeasuredJob job = job_with(1);
  diagnose::mark_pairs(job, {{true, false}});
  EXPECT_TRUE(job.operations[0].overlaps_next);
  EXPECT_FALSE(job.operations[1].overlaps_next);
}

TEST(PairedPasses, passes_with_time_between_them_are_none) {
  diagnose::MeasuredJob job = job_with(1.5);
  diagnose::mark_pairs(job, {{true, false}});
  EXPECT_FALSE(job.operations[0].overlaps_next);
}

TEST(PairedPasses, another_number_of_passes_is_another_order) {
  diagnose::MeasuredJob job = job_with(1);
  diagnose::mark_pairs(job, {{true, false, false}});
  EXPECT_FALSE(job.operations[0].overlaps_next);
}

/// A pair on the last of two stages begins when its forward's input and its backward's are there.
TEST(PairedPasses, both_wait_for_what_each_of_them_needs) {
  std::vector<TracedOperation> all = {
      operation(OperationKind::forward, 0, 0, 0, 1),
      operation(OperationKind::forward, 1, 0, 1, 1),
      // The forward of micro-batch 1 is there at 2 s, what its partner needs at 3 s.
      operation(OperationKind::forward, 0, 1, 1, 1),
      operation(OperationKind::forward, 1, 1, 2, 1),
      operation(OperationKind::backward, 1, 0, 3, 1),
      operation(OperationKind::backward, 0, 0, 4, 1),
      operation(OperationKind::backward, 1, 1, 4, 1),
      operation(OperationKind::backward, 0, 1, 5, 1),
  };
  diagnose::MeasuredJob job = diagnose::measured_job(std::move(all), "test");
  diagnose::mark_pairs(job, {{false, false, false, false}, {false, true, false, false}});
  const diagnose::MeasuredProgram program = diagnose::program_of(job, {0});
  EXPECT_EQ(diagnose::step_times(program, diagnose::without_gaps(program)),
            std::vector{seconds(6)});
}

}  // namespace
}  // namespace pipewright::test
