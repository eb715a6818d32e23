#include "result/objectives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pipewright::test {
namespace {

TEST(Objectives, the_rank_that_waits_longest_tells_what_is_exposed) {
  RunResult result;
  result.metrics.ranks.resize(3);
  result.metrics.ranks[0].breakdown[Traffic::data] = milliseconds(4);
  result.metrics.ranks[1].breakdown[Traffic::tensor] = milliseconds(250);
  EXPECT_EQ(objective_value(result, "exposed_communication_s"), 0.25);
  EXPECT_FALSE(is_gain("exposed_communication_s"));
}

/// A run whose first draw is a lucky one.
RunResult drawn_run() {
  RunResult result;
  result.metrics.iteration = milliseconds(16);
  result.rates.samples_per_s = 3;
  result.ranges.variation = Quantiles{.p10 = milliseconds(16),
                                      .p50 = milliseconds(24),
                                      .p90 = milliseconds(32),
                                      .p95 = milliseconds(33),
                                      .seeds = 20};
  return result;
}

TEST(Objectives, runs_that_draw_are_judged_by_the_median) {
  EXPECT_EQ(objective_value(drawn_run(), "iteration_time_s"), 0.024);
  EXPECT_EQ(objective_value(drawn_run(), "p90_s"), 0.032);
  EXPECT_EQ(objective_value(drawn_run(), "samples_per_s"), 2);
}

// 24 ms in place of 16: all that is in proportion to time is half as much again.
TEST(Objectives, time_to_train_and_cost_follow_the_median) {
  RunResult result = drawn_run();
  result.training.time_s = 1000;
  result.training.cost_usd = 600;
  result.expenses = {.energy_j = 8, .cost_usd = 4};
  EXPECT_EQ(objective_value(result, "time_to_train_s"), 1500);
  EXPECT_EQ(objective_value(result, "cost_usd"), 6);
  EXPECT_EQ(objective_value(result, "time_to_train_cost_usd"), 900);
  EXPECT_EQ(objective_value(result, "energy_j"), 8) << "of the unvaried run, as the accounts are";
}

TEST(Objectives, a_run_that_draws_nothing_has_no_quantiles) {
  RunResult result = drawn_run();
  result.ranges.variation.reset();
  EXPECT_EQ(objective_value(result, "iteration_time_s"), 0.016);
  for (const char* name : {"p10_s", "p50_s", "p90_s"})
    EXPECT_EQ(objective_value(result, name), std::nullopt) << name;
}

TEST(Objectives, the_degree_of_data_is_kept_and_judges_nothing) {
  EXPECT_EQ(std::ranges::count(objective_names(), degree_of_data), 1);
  EXPECT_EQ(std::ranges::count(judging_names(), degree_of_data), 0);
}

}  // namespace
}  // namespace pipewright::test
