#include "diagnose/measured_job.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using diagnose::measured_job;
using diagnose::MeasuredJob;

TEST(MeasuredJob, operations_are_ordered_by_step_rank_and_start) {
  const MeasuredJob job = measured_job({operation(OperationKind::backward, 1, 0, 5, 1, 1, 7),
                                        operation(OperationKind::forward, 1, 0, 2, 1, 1, 7),
                                        operation(OperationKind::forward, 0, 0, 0, 1, 0, 7),
                                        operation(OperationKind::forward, 0, 0, 0, 1, 1, 7)},
                                       "t");
  EXPECT_EQ(job.data, 2);
  EXPECT_EQ(job.stages, 2);
  EXPECT_EQ(job.steps, std::vector<int32_t>{7});
  EXPECT_EQ(job.of(0, 3).size(), 2u);
  EXPECT_EQ(job.of(0, 3)[0].kind, OperationKind::forward);
  EXPECT_EQ(diagnose::passes_of(job, 0, 3), (std::vector<size_t>{2, 3}));
  EXPECT_EQ(diagnose::micro_batches(job), 1);
}

TEST(MeasuredJob, a_step_that_was_cut_off_is_left_out) {
  std::vector<TracedOperation> all = traced("1f1b", 2, 2, 1, 3);
  std::erase_if(all,
                [](const TracedOperation& one) { return one.step == 0 && one.micro_batch == 0; });
  const MeasuredJob job = measured_job(all, "t");
  EXPECT_EQ(job.steps, (std::vector<int32_t>{1, 2}));
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_EQ(job.notes[0].substr(0, 12), "1 of 3 steps");
}

TEST(MeasuredJob, ranks_without_operations_are_told) {
  const MeasuredJob job = measured_job({operation(OperationKind::forward, 1, 0, 0, 1),
                                        operation(OperationKind::forward, 1, 1, 1, 1)},
                                       "t");
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_EQ(job.notes[0], "1 of 2 ranks have no passes in the trace: data rank 0, stage 0");
}

TEST(MeasuredJob, what_is_no_job_is_an_error) {
  EXPECT_EQ(error_of([] { measured_job({operation(OperationKind::gc, 0, 0, 0, 1)}, "t"); }),
            "t: error: has neither a forward nor a backward pass");
  EXPECT_EQ(error_of([] { measured_job({operation(OperationKind::forward, 9, 0, 0, 1)}, "t"); }),
            "t: error: names 1 data ranks and 10 stages, but has 1 operations only");
}

}  // namespace
}  // namespace pipewright::test
