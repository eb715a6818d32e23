// Swarms small enough to reckon by hand: F takes 1 ms, B 2 ms, a message 1 ms.
#include "engine/swarm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"

namespace pipewright {
namespace {

SwarmPlan plan(std::vector<int> stage_of, int stages, int micro_batches) {
  SwarmPlan plan{.stage_of = std::move(stage_of),
                 .stages = stages,
                 .micro_batches = micro_batches,
                 .in_flight = micro_batches};
  plan.compute = [](int, int, bool backward) { return milliseconds(backward ? 2 : 1); };
  plan.transfer = [](int, int, Bytes) { return milliseconds(1); };
  plan.update = [](int, const std::vector<int>&) {
    return SwarmUpdateTime{.reduce = milliseconds(4), .step = milliseconds(1)};
  };
  plan.forward_output = plan.backward_output = plan.weights =
      std::vector<Bytes>(static_cast<size_t>(stages), Bytes{1000});
  return plan;
}

// There and back: F, message, F and B of the last stage, message, B: 1 + 1 + 1 + 2 + 1 + 2 = 8, and
// the update.
TEST(Swarm, one_micro_batch_goes_there_and_back) {
  const SwarmRun run = run_swarm(plan({0, 1}, 2, 1));
  EXPECT_EQ(run.step_ends, std::vector<Time>{milliseconds(8 + 5)});
  EXPECT_EQ(run.spans.size(), 4u);
}

// One stage, two peers, eight micro-batches: four each, of 3 ms.
TEST(Swarm, work_is_shared_by_the_peers_of_a_stage) {
  EXPECT_EQ(run_swarm(plan({0, 0}, 1, 8)).step_ends.front(), milliseconds(12 + 5));
}

TEST(Swarm, steps_follow_each_other) {
  SwarmPlan two = plan({0, 1}, 2, 1);
  two.steps = 3;
  EXPECT_EQ(run_swarm(two).step_ends.back(), milliseconds(3 * 13));
}

// A peer three times as fast as the other gets, once that is known, three times the work.
TEST(Swarm, wiring_follows_what_peers_are_seen_to_take) {
  SwarmPlan unlike = plan({0, 0}, 1, 400);
  unlike.in_flight = 8;
  unlike.compute = [](int peer, int, bool) { return milliseconds(peer == 0 ? 1 : 3); };
  int fast = 0, all = 0;
  for (const SwarmSpan& span : run_swarm(unlike).spans) {
    if (span.backward) continue;
    fast += span.peer == 0;
    ++all;
  }
  EXPECT_NEAR(static_cast<double>(fast) / all, 0.75, 0.05);
}

/// Every micro-batch passes every stage once each way, whatever happened on the way.
void expect_every_pass_once(const SwarmRun& run, int micro_batches, int stages) {
  std::map<std::tuple<int, int, bool>, int> count;
  for (const SwarmSpan& span : run.spans) ++count[{span.micro_batch, span.stage, span.backward}];
  EXPECT_EQ(count.size(), static_cast<size_t>(2 * micro_batches * stages));
  for (const auto& [pass, times] : count) EXPECT_EQ(times, 1);
}

TEST(Swarm, nothing_is_lost_when_peers_come_and_go) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SwarmPlan stormy = plan({0, 0, 1, 1, 2, 2}, 3, 60);
    stormy.mtbf = milliseconds(30);
    stormy.downtime = milliseconds(5);
    stormy.rebalance = milliseconds(10);
    stormy.seed = seed;
    const SwarmRun run = run_swarm(stormy);
    expect_every_pass_once(run, 60, 3);
    EXPECT_GT(run.preemptions, 0);
    for (const SwarmSpan& span : run.spans)
      EXPECT_EQ(span.end - span.start, milliseconds(span.backward ? 2 : 1));
  }
}

TEST(Swarm, a_peer_does_one_thing_at_a_time) {
  SwarmPlan busy = plan({0, 1, 1, 0}, 2, 40);
  busy.mtbf = milliseconds(50);
  busy.downtime = milliseconds(3);
  std::map<int, std::vector<std::pair<Time, Time>>> by_peer;
  for (const SwarmSpan& span : run_swarm(busy).spans)
    by_peer[span.peer].emplace_back(span.start, span.end);
  for (auto& [peer, spans] : by_peer) {
    std::sort(spans.begin(), spans.end());
    for (size_t k = 1; k < spans.size(); ++k) EXPECT_GE(spans[k].first, spans[k - 1].second);
  }
}

// Three peers start on stage 0 and one on stage 1, which does as much: a move makes them even.
TEST(Swarm, rebalancing_moves_a_peer_to_the_busy_stage) {
  SwarmPlan uneven = plan({0, 0, 0, 1}, 2, 200);
  uneven.in_flight = 16;
  const Time before = run_swarm(uneven).step_ends.back();
  uneven.rebalance = milliseconds(20);
  const SwarmRun moved = run_swarm(uneven);
  EXPECT_GE(moved.moves, 1);
  EXPECT_LT(moved.step_ends.back(), before);
  expect_every_pass_once(moved, 200, 2);
}

TEST(Swarm, the_same_seed_gives_the_same_run) {
  SwarmPlan stormy = plan({0, 0, 1, 1}, 2, 30);
  stormy.mtbf = milliseconds(20);
  stormy.downtime = milliseconds(5);
  const SwarmRun a = run_swarm(stormy), b = run_swarm(stormy);
  EXPECT_EQ(a.step_ends, b.step_ends);
  EXPECT_EQ(a.events, b.events);
}

TEST(Swarm, work_lost_for_good_is_told) {
  SwarmPlan doomed = plan({0}, 1, 1);
  doomed.compute = [](int, int, bool) { return milliseconds(1000); };
  doomed.mtbf = microseconds(1);
  doomed.downtime = longest_time;
  EXPECT_THROW(run_swarm(doomed), Failure);
}

}  // namespace
}  // namespace pipewright
