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
  EXPECT_EQ(job.notes[0],
            "1 of 2 ranks have no passes in the trace: data rank 0, stage 0. Whether they or the "
            "links to them are slow cannot be told");
}

TEST(MeasuredJob, what_is_no_job_is_an_error) {
  EXPECT_EQ(error_of([] { measured_job({operation(OperationKind::gc, 0, 0, 0, 1)}, "t"); }),
            "t: error: has neither a forward nor a backward pass");
  EXPECT_EQ(error_of([] { measured_job({operation(OperationKind::forward, 9, 0, 0, 1)}, "t"); }),
            "t: error: names 1 data ranks and 10 stages, but has 1 operations only");
}

TEST(MeasuredJob, two_jobs_in_one_table_are_told) {
  std::vector<TracedOperation> twice = traced("1f1b", 2, 2, 1, 1);
  const std::vector<TracedOperation> again = traced("1f1b", 2, 2, 1, 1);
  twice.insert(twice.end(), again.begin(), again.end());
  EXPECT_EQ(error_of([&] { measured_job(twice, "t"); }),
            "t: error: data rank 0, stage 0 has forward-compute of micro-batch 0 twice in step 0: "
            "these seem to be two jobs");

  // The second replica is of a job with more micro-batches, traced in other steps.
  std::vector<TracedOperation> mixed = traced("1f1b", 2, 4, 1, 3);
  for (TracedOperation one : traced("1f1b", 2, 2, 1, 2)) {
    one.dp_rank = 1;
    one.step += 2;
    mixed.push_back(one);
  }
  EXPECT_EQ(error_of([&] { measured_job(mixed, "t"); }),
            "t: error: data rank 1, stage 0 has no step in common with data rank 0, stage 0: these "
            "seem to be two jobs, or one that was traced in different steps");
}

TEST(MeasuredJob, a_rank_that_is_cut_off_is_of_the_same_job) {
  std::vector<TracedOperation> all = traced("1f1b", 2, 2, 2, 3);
  std::erase_if(all, [](const TracedOperation& one) { return one.dp_rank == 1 && one.step > 0; });
  EXPECT_EQ(measured_job(all, "t").steps, (std::vector<int32_t>{1, 2}));
}

}  // namespace
}  // namespace pipewright::test
