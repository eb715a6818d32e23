#include "result/totals.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

// Each maximum is of another rank.
TEST(Totals, are_the_largest_of_each_over_the_ranks) {
  RunResult result;
  RankResult first{.peak_in_flight = 4,
                   .peak_in_flight_to_weight_gradient = 4,
                   .weight_versions = 3,
                   .staleness = 2};
  first.memory = {.weights = Bytes{10}, .activations = Bytes{5}};
  RankResult second{.peak_in_flight = 1, .peak_in_flight_to_weight_gradient = 6};
  second.memory = {.weights = Bytes{20}};
  result.metrics.ranks = {first, second};
  const Totals most = totals(result);
  EXPECT_EQ(most.peak_memory.count, 20);
  EXPECT_EQ(most.peak_in_flight, 4);
  EXPECT_EQ(most.peak_in_flight_to_weight_gradient, 6);
  EXPECT_EQ(most.weight_versions, 3);
  EXPECT_EQ(most.staleness, 2);
}

}  // namespace
}  // namespace pipewright
