#include "diagnose/whole_steps.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

diagnose::MeasuredJob two_ranks(std::vector<TracedOperation> operations) {
  return {.stages = 2, .operations = std::move(operations)};
}

TEST(WholeSteps, steps_that_have_fewer_passes_than_most_are_left_out) {
  std::vector<TracedOperation> all;
  for (int step = 0; step < 3; ++step)
    for (int stage = 0; stage < 2; ++stage)
      for (int batch = 0; batch < (step == 2 ? 1 : 2); ++batch)
        all.push_back(operation(OperationKind::forward, stage, batch, batch, 1, 0, step));
  diagnose::MeasuredJob job = two_ranks(all);
  diagnose::drop_unusual_steps(job, "t");
  EXPECT_EQ(job.steps, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(job.operations.size(), 8u);
  EXPECT_EQ(job.notes.size(), 1u);
}

TEST(WholeSteps, a_rank_that_shares_no_step_is_of_another_job) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 1, 0, 1),
                                      operation(OperationKind::forward, 0, 0, 0, 1, 0, 2),
                                      operation(OperationKind::forward, 1, 0, 0, 1, 0, 3)};
  diagnose::MeasuredJob job = two_ranks(all);
  const std::string error = error_of([&] { diagnose::drop_unusual_steps(job, "t"); });
  EXPECT_NE(error.find("has no step in common"), std::string::npos) << error;
}

TEST(WholeSteps, a_pass_stands_once_in_a_step) {
  const auto twice = {operation(OperationKind::forward, 0, 4, 0, 1),
                      operation(OperationKind::forward, 0, 4, 1, 1)};
  EXPECT_NE(error_of([&] { diagnose::refuse_doubled_passes(two_ranks(twice), "t"); }).find("twice"),
            std::string::npos);
  diagnose::refuse_doubled_passes(two_ranks({operation(OperationKind::forward, 0, 4, 0, 1),
                                             operation(OperationKind::backward, 0, 4, 1, 1)}),
                                  "t");
}

}  // namespace
}  // namespace pipewright::test
