#include "diagnose/run_operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/diagnose/run_slices.hpp"

namespace pipewright::test {
namespace {

using Kind = RunSliceKind;

std::vector<TracedOperation> of_kind(const diagnose::JobTrace& job, OperationKind kind) {
  std::vector<TracedOperation> found;
  std::ranges::copy_if(job.operations, std::back_inserter(found),
                       [=](const TracedOperation& one) { return one.kind == kind; });
  return found;
}

TEST(RunOperations, a_rank_counts_its_chunks_by_the_stages_that_they_are) {
  const diagnose::JobTrace job = diagnose::job_of(
      {.ranks = {{.pipeline = 0}, {.pipeline = 1}},
       .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1), run_slice(Kind::forward, 1, 1, 0, 1, 2),
                  run_slice(Kind::forward, 1, 2, 0, 2, 3),
                  run_slice(Kind::forward, 0, 3, 0, 3, 4)}});
  EXPECT_EQ(job.placement, (diagnose::Placement{{0, 3}, {1, 2}}));
  EXPECT_TRUE(job.one_clock);
  const std::vector<TracedOperation> passes = of_kind(job, OperationKind::forward);
  ASSERT_EQ(passes.size(), 4u);
  for (const TracedOperation& one : passes)
    EXPECT_EQ(one.chunk, one.start >= milliseconds(2) ? 1 : 0);
}

TEST(RunOperations, of_a_tensor_group_one_rank_stands_for_all) {
  const diagnose::JobTrace job =
      diagnose::job_of({.ranks = {{.tensor = 0}, {.tensor = 1}},
                        .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1),
                                   run_slice(Kind::forward, 1, 0, 0, 0, 1)}});
  EXPECT_EQ(job.operations.size(), 1u);
  ASSERT_FALSE(job.notes.empty());
  EXPECT_EQ(job.notes.front(), "of each tensor group the first rank stands for all");
}

TEST(RunOperations, messages_of_ranks_without_passes_are_left_out) {
  RunSlice sent = run_slice(Kind::message, 1, 7, 0, 1, 2);
  const diagnose::JobTrace job =
      diagnose::job_of({.ranks = {{.pipeline = 0}, {.pipeline = 9}},
                        .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1), sent}});
  EXPECT_EQ(job.operations.size(), 1u);
}

TEST(RunOperations, slices_of_a_micro_batch_have_numbers_of_their_own) {
  RunSlice second = run_slice(Kind::forward, 0, 0, 3, 1, 2);
  second.slice = 1;
  const diagnose::JobTrace job = diagnose::job_of(
      {.ranks = {{}}, .slices = {run_slice(Kind::forward, 0, 0, 3, 0, 1), second}});
  EXPECT_EQ(job.slices, 2);
  EXPECT_EQ(job.operations[0].micro_batch, 6);
  EXPECT_EQ(job.operations[1].micro_batch, 7);
}

TEST(RunOperations, updates_end_steps_where_no_pass_crosses_them) {
  RunSlice update = run_slice(Kind::update, 0, 0, 0, 1, 2);
  const std::vector<RunSlice> one_rank = {run_slice(Kind::forward, 0, 0, 0, 0, 1), update,
                                          run_slice(Kind::forward, 0, 0, 1, 2, 3)};
  const diagnose::JobTrace flushed = diagnose::job_of({.ranks = {{}}, .slices = one_rank});
  EXPECT_EQ(of_kind(flushed, OperationKind::forward)[1].step, 1);

  std::vector<RunSlice> two_ranks = one_rank;
  for (const int32_t micro_batch : {0, 1})  // the second rank updates after both
    two_ranks.push_back(
        run_slice(Kind::forward, 1, 1, micro_batch, 3 + micro_batch, 4 + micro_batch));
  two_ranks.push_back(run_slice(Kind::update, 1, 1, 0, 5, 6));
  const diagnose::JobTrace flowing =
      diagnose::job_of({.ranks = {{.pipeline = 0}, {.pipeline = 1}}, .slices = two_ranks});
  for (const TracedOperation& one : flowing.operations) EXPECT_EQ(one.step, 0);
}

TEST(RunOperations, what_data_ranks_sum_counts_from_the_last_pass_on) {
  const diagnose::JobTrace job = diagnose::job_of(
      {.ranks = {{}},
       .slices = {
           run_slice(Kind::data_gather, 0, 0, 0, 0, 1), run_slice(Kind::backward, 0, 0, 0, 1, 5),
           run_slice(Kind::data_sum, 0, 0, 0, 2, 4), run_slice(Kind::data_sum, 0, 0, 0, 4, 7)}});
  const std::vector<TracedOperation> sums = of_kind(job, OperationKind::grads_reduce_scatter);
  ASSERT_EQ(sums.size(), 1u);  // the first is hidden
  EXPECT_EQ(sums[0].start, milliseconds(5));
  EXPECT_EQ(sums[0].end(), milliseconds(7));
  EXPECT_EQ(of_kind(job, OperationKind::params_all_gather)[0].duration, milliseconds(1));
}

// The last of two stages waits for the first in the sum of the embedding that both read.
TEST(RunOperations, sums_that_join_stages_are_not_of_one) {
  RunSlice sum = run_slice(Kind::data_sum, 0, 0, 0, 3, 4), same = sum;
  sum.devices = same.devices = 2;
  same.rank = 1;
  const diagnose::JobTrace job =
      diagnose::job_of({.ranks = {{.pipeline = 0}, {.pipeline = 1}},
                        .slices = {run_slice(Kind::backward, 1, 1, 0, 0, 1),
                                   run_slice(Kind::backward, 0, 0, 0, 1, 2), sum, same}});
  EXPECT_EQ(of_kind(job, OperationKind::embedding_grads_all_reduce).size(), 2u);
}

// The passes of one replica hide the first of two sums: for both it costs nothing.
TEST(RunOperations, sums_that_a_member_hides_cost_nothing) {
  const diagnose::JobTrace job = diagnose::job_of(
      {.ranks = {{.data = 0}, {.data = 1}},
       .slices = {
           run_slice(Kind::backward, 0, 0, 0, 0, 4), run_slice(Kind::backward, 1, 0, 0, 0, 2),
           run_slice(Kind::data_sum, 0, 0, 0, 2, 3), run_slice(Kind::data_sum, 1, 0, 0, 2, 3),
           run_slice(Kind::data_sum, 0, 0, 0, 4, 5), run_slice(Kind::data_sum, 1, 0, 0, 4, 5)}});
  const std::vector<TracedOperation> sums = of_kind(job, OperationKind::grads_reduce_scatter);
  ASSERT_EQ(sums.size(), 2u);
  for (const TracedOperation& one : sums) EXPECT_EQ(one.end(), milliseconds(5));
}

TEST(RunOperations, what_passes_wait_for_within_is_communication) {
  RunSlice sum = run_slice(Kind::tensor_group, 0, 0, 0, 1, 3);
  sum.devices = 4;
  const diagnose::JobTrace job =
      diagnose::job_of({.ranks = {{}},
                        .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1), sum,
                                   run_slice(Kind::forward, 0, 0, 0, 3, 5)}});
  EXPECT_EQ(job.degrees.tensor, 4);
  Breakdown within = job.within.at({0, 0, 0});
  EXPECT_EQ(within[Traffic::tensor], milliseconds(2));
  EXPECT_EQ(within[ComputeKind::forward], milliseconds(2));
}

TEST(RunOperations, a_message_on_the_track_of_passes_holds_both_ranks) {
  RunSlice sent = run_slice(Kind::message, 0, 0, 0, 1, 2), received = sent;
  sent.to_rank = received.to_rank = 1;
  received.rank = 1;
  const diagnose::JobTrace job =
      diagnose::job_of({.ranks = {{.pipeline = 0}, {.pipeline = 1}},
                        .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1), sent, received,
                                   run_slice(Kind::forward, 1, 1, 0, 2, 3)}});
  const std::vector<TracedOperation> sends = of_kind(job, OperationKind::forward_send);
  const std::vector<TracedOperation> receives = of_kind(job, OperationKind::forward_recv);
  ASSERT_EQ(sends.size(), 1u);
  ASSERT_EQ(receives.size(), 1u);
  EXPECT_TRUE(sends[0].holds && receives[0].holds);
  EXPECT_EQ(receives[0].stage, 1);
}

// Two micro-batches, each with an update of its own that the next forward does not wait for.
TEST(RunOperations, iterations_that_run_into_each_other_are_numbered) {
  RunSlice first = run_slice(Kind::update, 0, 0, 0, 3, 4),
           second = run_slice(Kind::update, 0, 0, 0, 5, 6);
  second.step = 1;
  RunSlice other = run_slice(Kind::update, 1, 1, 0, 9, 10),
           last = run_slice(Kind::update, 1, 1, 0, 11, 12);
  last.step = 1;
  const diagnose::JobTrace job = diagnose::job_of(
      {.ranks = {{.pipeline = 0}, {.pipeline = 1}},
       .slices = {run_slice(Kind::forward, 0, 0, 0, 0, 1), run_slice(Kind::forward, 0, 0, 1, 1, 2),
                  run_slice(Kind::backward, 0, 0, 0, 2, 3), first,
                  run_slice(Kind::backward, 0, 0, 1, 4, 5), second,
                  run_slice(Kind::forward, 1, 1, 0, 7, 8), run_slice(Kind::backward, 1, 1, 0, 8, 9),
                  other, run_slice(Kind::forward, 1, 1, 1, 10, 10),
                  run_slice(Kind::backward, 1, 1, 1, 10, 11), last}});
  EXPECT_EQ(job.iterations, (std::vector<int32_t>{0, 1}));
  for (const TracedOperation& one : job.operations) {
    EXPECT_EQ(one.step, 0);
    if (one.micro_batch >= 0) {
      EXPECT_EQ(one.iteration, one.micro_batch);
    }
  }
  EXPECT_EQ(of_kind(job, OperationKind::optimizer).size(), 4u);
}

}  // namespace
}  // namespace pipewright::test
