#include "diagnose/transfers.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(Transfers, a_message_joins_the_pass_that_sends_with_the_one_that_is_fed) {
  const diagnose::MeasuredJob job = diagnose::measured_job(traced("1f1b", 3, 3, 1, 1), "t");
  const diagnose::Transfers found = diagnose::match_transfers(job, 0);
  const auto all = job.of_step(0);
  int joined = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != forward_send && all[i].kind != backward_send) continue;
    ASSERT_NE(found.other[i], diagnose::nothing);
    const TracedOperation& from = all[found.pass[i]];
    const TracedOperation& to = all[found.pass[found.other[i]]];
    EXPECT_EQ(from.micro_batch, to.micro_batch);
    EXPECT_EQ(to.stage - from.stage, all[i].kind == forward_send ? 1 : -1);
    EXPECT_EQ(found.feeds[found.pass[i]], found.pass[found.other[i]]);
    ++joined;
  }
  EXPECT_EQ(joined, 2 * 2 * 3);  // two boundaries, two directions, three micro-batches
  EXPECT_EQ(found.unmatched, 0u);
}

// A V of two ranks: stages 0 and 3, 1 and 2. The last rank hands stage 1 to stage 2 by itself.
TEST(Transfers, chunks_of_a_v_come_back) {
  diagnose::MeasuredJob job = diagnose::measured_job(traced("zb-v", 2, 4, 1, 1), "t");
  job.placement = {{0, 3}, {1, 2}};
  diagnose::name_chunks(job);
  const diagnose::Transfers found = diagnose::match_transfers(job, 0);
  const auto all = job.of_step(0);
  int forward_messages = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != forward_send) continue;
    ++forward_messages;
    EXPECT_EQ(all[i].chunk, all[i].stage) << "stage 0 by rank 0, stage 2 by rank 1";
    EXPECT_EQ(all[found.feeds[found.pass[i]]].stage, 1 - all[i].stage);
  }
  EXPECT_EQ(forward_messages, 2 * 4);
  EXPECT_EQ(found.unmatched, 0u);
}

TEST(Transfers, messages_that_name_their_pass_may_come_in_any_order) {
  std::vector<TracedOperation> all = {
      operation(forward, 0, 0, 0, 1),      operation(forward, 0, 1, 1, 1),
      operation(forward_send, 0, 1, 2, 1), operation(forward_send, 0, 0, 3, 1),
      operation(forward, 1, 1, 3, 1),      operation(forward, 1, 0, 4, 1)};
  const diagnose::MeasuredJob job = diagnose::measured_job(all, "t");
  const diagnose::Transfers found = diagnose::match_transfers(job, 0);
  const auto in_order = job.of_step(0);
  for (size_t i = 0; i < in_order.size(); ++i) {
    if (in_order[i].kind != forward_send) continue;
    EXPECT_EQ(in_order[found.pass[i]].micro_batch, in_order[i].micro_batch);
  }
}

TEST(Transfers, chunks_go_around_the_ranks) {
  const diagnose::MeasuredJob job =
      diagnose::measured_job(traced("{name: interleaved-1f1b, virtual: 2}", 2, 2, 1, 1), "t");
  const diagnose::Transfers found = diagnose::match_transfers(job, 0);
  const auto all = job.of_step(0);
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind != forward || found.feeds[i] == diagnose::nothing) continue;
    const TracedOperation& next = all[found.feeds[i]];
    EXPECT_EQ(next.chunk * 2 + next.stage, all[i].chunk * 2 + all[i].stage + 1);
  }
}

TEST(Transfers, what_moves_nothing_belongs_to_no_pass) {
  // The profiler noted a receive after the last forward and a send before the first has ended.
  const diagnose::MeasuredJob job = diagnose::measured_job(
      {operation(forward, 0, 0, 1, 1), operation(forward_send, 0, -1, 2, 0.1),
       operation(forward_send, 0, -1, 0.1, 0.1), operation(forward_recv, 1, -1, 1.5, 0.6),
       operation(forward, 1, 0, 2.1, 1), operation(forward_recv, 1, -1, 4, 0.1)},
      "t");
  const diagnose::Transfers found = diagnose::match_transfers(job, 0);
  EXPECT_EQ(std::ranges::count_if(found.pass, [](size_t i) { return i != diagnose::nothing; }), 2);
  EXPECT_EQ(found.unmatched, 0u);
}

}  // namespace
}  // namespace pipewright::test
