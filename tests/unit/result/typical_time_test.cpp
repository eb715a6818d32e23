#include "result/typical_time.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

/// A run of 16 ms whose draws have a median of 24 ms, half as much again.
RunResult run_of_draws() {
  RunResult result;
  result.metrics.iteration = milliseconds(16);
  result.training.time_s = 1000;
  result.ranges.uncertainty = Uncertainty{.p10 = milliseconds(14), .p90 = milliseconds(20)};
  result.ranges.variation = Quantiles{.p50 = milliseconds(24), .seeds = 20};
  return result;
}

TEST(TypicalTime, is_the_median_of_the_draws) {
  const RunResult result = run_of_draws();
  EXPECT_EQ(typical_time(result), milliseconds(24));
  EXPECT_EQ(typical_slowdown(result), 1.5);
  EXPECT_EQ(typical_time_to_train_s(result), 1500);
  EXPECT_EQ(seeds_of(result), 20);
}

// Predictions are off by a factor, whatever is drawn.
TEST(TypicalTime, has_the_uncertainty_about_it) {
  const TimeRange range = typical_range(run_of_draws()).value();
  EXPECT_DOUBLE_EQ(range.p10_s, 0.021);
  EXPECT_DOUBLE_EQ(range.p90_s, 0.03);
}

TEST(TypicalTime, is_the_iteration_where_nothing_is_drawn) {
  RunResult result = run_of_draws();
  result.ranges.variation.reset();
  EXPECT_EQ(typical_time(result), milliseconds(16));
  EXPECT_EQ(typical_time_to_train_s(result), 1000);
  EXPECT_EQ(seeds_of(result), 0);
}

}  // namespace
}  // namespace pipewright::test
