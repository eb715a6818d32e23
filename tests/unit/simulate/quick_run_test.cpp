// Law: what a search looks at is the same in a run of which nothing else is found.
#include "simulate/quick_run.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright {
namespace {

void expect_the_same(const config::Value& experiment) {
  const config::Catalogue catalogue;
  const RunResult whole = run_experiment(experiment, catalogue, {}).result;
  const RunResult quick = run_quickly(experiment, catalogue, {});
  EXPECT_EQ(quick.metrics.iteration, whole.metrics.iteration);
  EXPECT_EQ(quick.metrics.makespan, whole.metrics.makespan);
  EXPECT_EQ(quick.fit.feasible, whole.fit.feasible);
  EXPECT_EQ(quick.fit.fullest, whole.fit.fullest);
  EXPECT_EQ(quick.expenses.energy_j, whole.expenses.energy_j);
  EXPECT_EQ(quick.training.time_s, whole.training.time_s);
  ASSERT_TRUE(quick.ranges.uncertainty && whole.ranges.uncertainty);
  EXPECT_EQ(quick.ranges.uncertainty->p10, whole.ranges.uncertainty->p10);
  EXPECT_EQ(quick.ranges.uncertainty->p90, whole.ranges.uncertainty->p90);
  ASSERT_EQ(quick.metrics.ranks.size(), whole.metrics.ranks.size());
  for (size_t rank = 0; rank < whole.metrics.ranks.size(); ++rank) {
    EXPECT_EQ(quick.metrics.ranks[rank].memory.total(), whole.metrics.ranks[rank].memory.total());
    EXPECT_EQ(quick.metrics.ranks[rank].devices, whole.metrics.ranks[rank].devices);
  }
}

TEST(QuickRun, tells_times_and_memory_as_the_whole_run_does) {
  for (const char* rest : {
           "parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: 1f1b\ntraining: {tokens: 1e9}\n",
           "parallel: {tensor: 1, pipeline: 2, data: 8, zero: 3}\nschedule: gpipe\n",
           "parallel: {tensor: 8, data: 2}\nschedule: 1f1b\nvariation: {compute_spread: 0.02}\n",
           "parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: pipedream\n",
       }) {
    SCOPED_TRACE(rest);
    expect_the_same(test::small_gpt(rest));
  }
}

// 256 micro-batches a replica: a period stands for them where nobody looks at the timeline.
TEST(QuickRun, of_one_period_is_that_of_every_micro_batch) {
  for (const char* rest : {
           "schedule: 1f1b\n",
           "schedule: gpipe\nrecompute: full\n",
           "schedule: zb-h1\n",
           "schedule: {name: interleaved-1f1b, virtual: 2}\n",
       }) {
    SCOPED_TRACE(rest);
    config::Value experiment =
        test::small_gpt(std::string("parallel: {tensor: 4, pipeline: 2, data: 2}\n") + rest);
    config::set_path(experiment, "batch.global=512");
    expect_the_same(experiment);
  }
}

TEST(QuickRun, looks_for_a_period_of_fewer_micro_batches) {
  config::Value experiment =
      test::small_gpt("parallel: {tensor: 4, pipeline: 2, data: 2}\nschedule: 1f1b\n");
  config::set_path(experiment, "batch.global=512");
  const config::Catalogue catalogue;
  const RunResult whole = run_experiment(experiment, catalogue, {}).result;
  EXPECT_LT(run_quickly(experiment, catalogue, {}).cost.events, whole.cost.events / 2);
}

// Remedies and gains are judged by the run on median chips.
TEST(QuickRun, without_variation_draws_nothing_and_is_else_the_same) {
  const config::Value experiment = test::small_gpt(
      "parallel: {tensor: 8, data: 2}\nschedule: 1f1b\nvariation: {compute_spread: 0.02}\n");
  const config::Catalogue catalogue;
  const RunResult drawn = run_quickly(experiment, catalogue, {.if_free = true});
  const RunResult once = run_quickly(without_variation(experiment), catalogue, {.if_free = true});
  EXPECT_TRUE(drawn.ranges.variation);
  EXPECT_FALSE(once.ranges.variation);
  EXPECT_EQ(once.metrics.iteration, drawn.metrics.iteration);
  EXPECT_EQ(once.metrics.detail.if_free->traffic, drawn.metrics.detail.if_free->traffic);
}

TEST(QuickRun, of_a_synthetic_model_is_the_whole_run) {
  expect_the_same(test::four_ranks("zb-h1"));
  expect_the_same(test::four_ranks("gpipe"));
}

}  // namespace
}  // namespace pipewright
