#include "run/repeated_run.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Two ranks, F 1 ms, B 2 ms, free transfers; each micro-batch keeps 1 MiB.
config::Value two_ranks(const std::string& schedule, int micro_batches) {
  return experiment(
      "model: {synthetic: {devices: 2, microbatches: " + std::to_string(micro_batches) +
      ", forward: 1 ms, backward: 2 ms, activation: 1 MiB}}\n"
      "cluster: {devices: 2, link: {latency: 0 s}}\n"
      "schedule: " +
      schedule + "\n");
}

// T = (m + p - 1)(tF + tB), whatever is left out.
TEST(RepeatedRun, a_million_micro_batches_take_their_closed_form) {
  const pipewright::Run million = run(two_ranks("1f1b", 1000000));
  EXPECT_EQ(million.result.metrics.makespan, milliseconds(3) * 1000001);
  EXPECT_EQ(million.result.metrics.ranks[0].compute, milliseconds(3) * 1000000);
  EXPECT_EQ(million.result.metrics.ranks[0].peak_in_flight, 2);
  EXPECT_LT(million.result.cost.events, 1000u);
}

// GPipe keeps the activations of all micro-batches: what a rank holds grows in every period of
// forwards that is left out, and shrinks in every period of backwards.
TEST(RepeatedRun, what_ranks_hold_grows_by_what_is_left_out) {
  const pipewright::Run run = test::run(two_ranks("gpipe", 5000));
  ASSERT_EQ(run.timeline.paces.size(), 1u);
  ASSERT_EQ(run.timeline.paces[0].size(), 2u);
  for (const RankResult& rank : run.result.metrics.ranks) {
    EXPECT_EQ(rank.memory.activations, 5000 * MiB);
    EXPECT_EQ(rank.peak_in_flight, 5000);
  }
  EXPECT_EQ(run.result.metrics.makespan, milliseconds(3) * 5001);
}

TEST(RepeatedRun, says_what_it_leaves_out) {
  const pipewright::Run once = run(two_ranks("1f1b", 5000));
  ASSERT_EQ(once.result.notes.size(), 1u);
  EXPECT_TRUE(once.result.notes[0].starts_with(
      "micro-batches repeat themselves: 64 of 5000 are simulated; in timelines the 0.003 s from"));
  EXPECT_TRUE(run(two_ranks("1f1b", 512)).result.notes.empty());
}

}  // namespace
}  // namespace pipewright::test
