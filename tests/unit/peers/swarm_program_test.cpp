// A swarm of two peers and one micro-batch, reckoned by hand: F takes 1 ms, B 2 ms, a message 1 ms,
// and at the end 4 ms of sums and 1 ms of updates.
#include "peers/swarm_program.hpp"

#include <gtest/gtest.h>

#include "result/accounts/accounts.hpp"

namespace pipewright {
namespace {

SwarmPlan plan(std::vector<int> stage_of, int micro_batches) {
  SwarmPlan plan{.stage_of = std::move(stage_of),
                 .stages = 2,
                 .micro_batches = micro_batches,
                 .in_flight = micro_batches};
  plan.compute = [](int, int, bool backward) { return milliseconds(backward ? 2 : 1); };
  plan.transfer = [](int, int, Bytes) { return milliseconds(1); };
  plan.update = [](int, const std::vector<int>&) {
    return SwarmUpdateTime{.reduce = milliseconds(4), .step = milliseconds(1)};
  };
  plan.forward_output = plan.backward_output = plan.weights = {Bytes{1000}, Bytes{1000}};
  return plan;
}

std::vector<Breakdown> accounts_of(const SwarmRun& run, int peers) {
  const SwarmTimeline written = swarm_timeline(run, peers, 2);
  const Time end = run.step_ends.back();
  return accounts(written.program, written.timeline, {Time{}, end, end}, SharesByPass{});
}

// Peer 0:  F  send  .  .  .  recv  B B  then the update; peer 1 computes for 3 ms from 2 ms on.
TEST(SwarmProgram, waiting_for_messages_is_exposed_and_for_others_is_bubble) {
  const std::vector<Breakdown> by_peer = accounts_of(run_swarm(plan({0, 1}, 1)), 2);
  ASSERT_EQ(by_peer.size(), 2u);
  Breakdown first = by_peer[0], second = by_peer[1];
  EXPECT_EQ(first[ComputeKind::forward], milliseconds(1));
  EXPECT_EQ(first[ComputeKind::backward], milliseconds(2));
  EXPECT_EQ(first[ComputeKind::optimizer], milliseconds(1));
  EXPECT_EQ(first[Traffic::pipeline], milliseconds(2));  // its output goes, its gradient comes
  EXPECT_EQ(second[Traffic::pipeline], milliseconds(1));
  EXPECT_EQ(second[ComputeKind::forward], milliseconds(1));
}

// Two peers share each stage: what they sum at the end of the step is data's.
TEST(SwarmProgram, sums_of_gradients_are_exposed) {
  for (Breakdown one : accounts_of(run_swarm(plan({0, 0, 1, 1}, 2)), 4)) {
    EXPECT_EQ(one[Traffic::data], milliseconds(4));
    EXPECT_EQ(one[ComputeKind::optimizer], milliseconds(1));
  }
}

TEST(SwarmProgram, accounts_add_up_where_peers_leave_and_return) {
  SwarmPlan restless = plan({0, 0, 1, 1}, 40);
  restless.mtbf = milliseconds(30);
  restless.downtime = milliseconds(3);
  restless.steps = 3;
  const SwarmRun run = run_swarm(restless);
  EXPECT_GT(run.preemptions, 0);
  for (const Breakdown& one : accounts_of(run, 4)) EXPECT_EQ(one.total(), run.step_ends.back());
}

}  // namespace
}  // namespace pipewright
