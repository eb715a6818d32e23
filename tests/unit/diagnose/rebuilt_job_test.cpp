#include "diagnose/rebuilt_job.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

RebuiltJob rebuilt(std::vector<TracedOperation> operations) {
  const Known known(std::move(operations));
  return diagnose::rebuilt_job(known.evidence(), "1f1b");
}

TEST(RebuiltJob, has_the_times_of_the_trace) {
  const RebuiltJob job = rebuilt(traced("1f1b", 3, 6, 2, 2));
  EXPECT_EQ(job.ranks, 3);
  EXPECT_EQ(job.data, 2);
  EXPECT_EQ(job.micro_batches, 6);
  EXPECT_EQ(job.forward, std::vector<Time>(3, seconds(1)));
  EXPECT_EQ(job.backward, std::vector<Time>(3, seconds(2)));
  EXPECT_EQ(job.message, milliseconds(100));
  EXPECT_TRUE(job.slow.empty());
}

// The trace is near enough to ZB-V to be taken for it; one pass is of a chunk that ZB-V does not
// have.
TEST(RebuiltJob, a_chunk_that_the_schedule_does_not_have_is_no_stage) {
  std::vector<TracedOperation> all = traced("zb-v", 3, 12, 1, 1);
  all.push_back(operation(OperationKind::forward, 1, 0, 1000, 1));
  all.back().chunk = 5;
  diagnose::JobTrace trace{.operations = all, .placement = {{0, 5}, {1, 4}, {2, 3}}};
  const Diagnosis found = diagnose::diagnose_job(std::move(trace), "t");
  ASSERT_TRUE(found.rebuilt);
  EXPECT_EQ(found.rebuilt->forward, std::vector<Time>(6, seconds(1)));
}

TEST(RebuiltJob, chunks_are_stages) {
  const RebuiltJob job = rebuilt(traced(
      "{name: interleaved-1f1b, virtual: 2}", 2, 4, 1, 1,
      [](const TracedOperation& one) { return one.chunk == 1 && one.stage == 0 ? 3.0 : 1; }));
  EXPECT_EQ(job.forward, (std::vector{seconds(1), seconds(1), seconds(3), seconds(1)}));
}

// Of a pipeline of four two ranks are traced, one of them on one of two data ranks.
TEST(RebuiltJob, ranks_that_the_trace_lacks_are_like_the_others) {
  std::vector<TracedOperation> all = traced(
      "1f1b", 4, 8, 2, 1, [](const TracedOperation& one) { return one.stage == 2 ? 3.0 : 1; });
  std::erase_if(all, [](const TracedOperation& one) {
    return one.stage == 1 || one.stage == 3 || (one.stage == 2 && one.dp_rank == 0);
  });
  const Diagnosis found = diagnose::diagnose_job({.operations = all, .stages = 4}, "t");
  ASSERT_TRUE(found.rebuilt);
  EXPECT_TRUE(found.rebuilt->by_symmetry);
  EXPECT_EQ(found.rebuilt->forward, (std::vector{seconds(1), seconds(2), seconds(3), seconds(2)}));
  EXPECT_EQ(found.rebuilt->backward, (std::vector{seconds(2), seconds(4), seconds(6), seconds(4)}));
  EXPECT_TRUE(found.rebuilt->slow.empty());
}

// Passes of 4 s, of which two data ranks compute 1 s and 3 s: 1 s is of bytes. The fast one would
// take 2 s, and the slow one takes twice that.
TEST(RebuiltJob, in_lockstep_a_fast_rank_does_not_take_what_it_waits) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  all[0].own = seconds(1);
  all[1].own = seconds(3);
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  const RebuiltJob job = rebuilt(all);
  EXPECT_EQ(job.forward, std::vector{seconds(2)});
  ASSERT_EQ(job.slow.size(), 1u);
  EXPECT_EQ(job.slow[0].data, 1);
  EXPECT_NEAR(job.slow[0].slowdown, 2, 1e-9);
}

TEST(RebuiltJob, a_slow_replica_is_a_straggler) {
  const RebuiltJob job = rebuilt(traced("1f1b", 2, 4, 3, 1, [](const TracedOperation& one) {
    return one.dp_rank == 1 && one.stage == 1 && diagnose::is_pass(one.kind) ? 1.5 : 1;
  }));
  EXPECT_EQ(job.forward[1], seconds(1));
  ASSERT_EQ(job.slow.size(), 1u);
  EXPECT_EQ(job.slow[0].data, 1);
  EXPECT_EQ(job.slow[0].rank, 1);
  EXPECT_NEAR(job.slow[0].slowdown, 1.5, 1e-9);
}

TEST(RebuiltJob, of_two_replicas_the_faster_one_is_not_slow) {
  const RebuiltJob job = rebuilt(traced("1f1b", 2, 4, 2, 1, [](const TracedOperation& one) {
    return one.dp_rank == 1 && one.stage == 1 && diagnose::is_pass(one.kind) ? 3.0 : 1;
  }));
  EXPECT_EQ(job.forward[1], seconds(1));
  ASSERT_EQ(job.slow.size(), 1u);
  EXPECT_NEAR(job.slow[0].slowdown, 3, 1e-9);
}

TEST(RebuiltJob, what_is_slow_in_one_direction_is_no_straggler) {
  EXPECT_TRUE(rebuilt(traced("1f1b", 2, 4, 2, 1, [](const TracedOperation& one) {
                return one.dp_rank == 1 && one.kind == OperationKind::backward ? 1.1 : 1;
              })).slow.empty());
}

TEST(RebuiltJob, what_follows_the_passes_is_the_update) {
  TracedJob job{traced_schedule("gpipe", 2, 2), 2, 3};
  job.length = [](const TracedOperation& one) {
    if (one.kind == OperationKind::grads_reduce_scatter) return seconds(4);
    if (one.kind == OperationKind::optimizer) return seconds(0.5);
    return seconds(diagnose::is_pass(one.kind) ? 1 : 0);
  };
  EXPECT_EQ(rebuilt(trace_of(job)).update, std::vector<Time>(2, seconds(4.5)));
}

TEST(RebuiltJob, links_that_are_alike_are_not_told_apart) {
  EXPECT_TRUE(rebuilt(traced("1f1b", 3, 4, 2, 1)).links.empty());
}

}  // namespace
}  // namespace pipewright::test
