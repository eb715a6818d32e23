#include "diagnose/step_graph.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

/// The operations after which the one of this kind comes, by kind and micro-batch.
std::vector<std::pair<OperationKind, int32_t>> before(const diagnose::MeasuredJob& job,
                                                      OperationKind kind, int32_t stage,
                                                      int32_t micro_batch) {
  const diagnose::StepGraph graph = diagnose::graph_of(job, 0);
  const auto all = job.of_step(0);
  std::vector<std::pair<OperationKind, int32_t>> found;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].kind == kind && all[i].stage == stage && all[i].micro_batch == micro_batch)
      for (const size_t earlier : graph.after[i])
        found.emplace_back(all[earlier].kind, all[earlier].micro_batch);
  std::ranges::sort(found);
  return found;
}

TEST(StepGraph, a_pass_comes_after_the_one_before_it_and_its_message) {
  const diagnose::MeasuredJob job = diagnose::measured_job(traced("1f1b", 2, 2, 1, 1), "t");
  const std::vector<std::pair<OperationKind, int32_t>> expected = {{backward, 0},
                                                                   {forward_recv, -1}};
  EXPECT_EQ(before(job, forward, 1, 1), expected);
}

TEST(StepGraph, a_pass_without_a_receive_comes_after_what_was_sent_to_it) {
  std::vector<TracedOperation> all = traced("1f1b", 2, 2, 1, 1);
  std::erase_if(all, [](const TracedOperation& one) { return one.kind == forward_recv; });
  const diagnose::MeasuredJob job = diagnose::measured_job(all, "t");
  const std::vector<std::pair<OperationKind, int32_t>> expected = {{backward, 0},
                                                                   {forward_send, -1}};
  EXPECT_EQ(before(job, forward, 1, 1), expected);
}

// Both passes of a pair end together, so what one of them sends comes after both.
TEST(StepGraph, a_message_of_a_pair_comes_after_both) {
  TracedOperation first = operation(forward, 0, 1, 1, 1);
  first.overlaps_next = true;
  const std::vector<TracedOperation> all = {
      operation(forward, 0, 0, 0, 1), first, operation(backward, 0, 0, 2, 1),
      operation(forward_send, 0, 1, 3, 1), operation(forward, 1, 1, 4, 1)};
  const diagnose::MeasuredJob job = diagnose::measured_job(all, "t");
  const std::vector<std::pair<OperationKind, int32_t>> expected = {{forward, 1}, {backward, 0}};
  EXPECT_EQ(before(job, forward_send, 0, 1), expected);
}

TEST(StepGraph, passes_of_two_lanes_do_not_wait_for_each_other) {
  TracedOperation beside = operation(backward, 0, 0, 0.5, 1);
  beside.lane = 1;
  const diagnose::MeasuredJob job =
      diagnose::measured_job({operation(forward, 0, 1, 0, 1), beside}, "t");
  EXPECT_TRUE(before(job, backward, 0, 0).empty());
}

TEST(StepGraph, without_messages_a_pass_comes_after_the_one_that_feeds_it) {
  std::vector<TracedOperation> all = traced("1f1b", 2, 2, 1, 1);
  std::erase_if(all, [](const TracedOperation& one) { return diagnose::is_transfer(one.kind); });
  const diagnose::MeasuredJob job = diagnose::measured_job(all, "t");
  const std::vector<std::pair<OperationKind, int32_t>> expected = {{forward, 1}, {backward, 0}};
  EXPECT_EQ(before(job, forward, 1, 1), expected);
}

}  // namespace
}  // namespace pipewright::test
