#include "diagnose/joined_steps.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// Two stages: the first ends at 5 s and begins its next step `pause` later, the second updates
/// until 8 s. A second step, numbered `number`, has the same lengths.
std::vector<TracedOperation> two_steps(int32_t number, double pause) {
  std::vector<TracedOperation> all;
  const auto add = [&](int32_t step, double first, double second) {
    all.push_back(operation(OperationKind::forward, 0, 0, first, 1, 0, step));
    all.push_back(operation(OperationKind::forward, 1, 0, second, 1, 0, step));
    all.push_back(operation(OperationKind::backward, 1, 0, second + 1, 2, 0, step));
    all.push_back(operation(OperationKind::backward, 0, 0, second + 3, 1, 0, step));
    all.push_back(operation(OperationKind::optimizer, 1, -1, second + 3, 4, 0, step));
  };
  add(0, 0, 1);
  add(number, 5 + pause, std::max(6 + pause, 8.0));
  return all;
}

diagnose::MeasuredJob joined(std::vector<TracedOperation> operations) {
  diagnose::MeasuredJob job = diagnose::measured_job(std::move(operations), "test");
  diagnose::join_steps(job);
  return job;
}

TEST(JoinedSteps, one_that_begins_before_the_other_ends_counts_from_its_end) {
  const diagnose::MeasuredJob job = joined(two_steps(1, 0));
  ASSERT_TRUE(job.joined);
  EXPECT_EQ(job.iterations(), 2u);
  EXPECT_EQ(job.iteration_number(1), 1);
  EXPECT_EQ(diagnose::micro_batches(job), 1);
  // The updates of the second stage end at 8 s and, as its next forward waits for them, at 15 s.
  EXPECT_EQ(diagnose::iteration_times(job), (std::vector{seconds(8), seconds(7)}));
  const diagnose::MeasuredProgram program = diagnose::program_of(job, {0});
  EXPECT_EQ(diagnose::step_times(program, diagnose::without_gaps(program)),
            (std::vector{seconds(8), seconds(7)}));
}

TEST(JoinedSteps, a_pause_between_steps_keeps_them_apart) {
  EXPECT_FALSE(joined(two_steps(1, 20)).joined);
}

TEST(JoinedSteps, steps_that_each_begin_at_zero_are_apart) {
  EXPECT_FALSE(joined(two_steps(1, -5)).joined);
}

TEST(JoinedSteps, between_steps_that_are_not_neighbours_others_ran) {
  EXPECT_FALSE(joined(two_steps(2, 0)).joined);
}

}  // namespace
}  // namespace pipewright::test
