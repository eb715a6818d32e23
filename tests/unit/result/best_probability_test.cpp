#include "result/best_probability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace pipewright {
namespace {

std::vector<double> best(std::vector<std::optional<double>> times) {
  return best_probabilities(times, 0.05);
}

TEST(BestProbability, equals_share_it) {
  for (const double p : best({1.0, 1.0, 1.0, 1.0})) EXPECT_NEAR(p, 0.25, 1e-9);
}

TEST(BestProbability, adds_up_to_one_and_those_without_a_time_have_none) {
  const std::vector<double> p = best({1.0, 1.02, std::nullopt, 1.3});
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(p[2], 0);
  EXPECT_GT(p[0], p[1]);
  EXPECT_LT(p[3], 1e-3);
}

// Two errors of 5 % each: their difference deviates by 0.0707. 7.07 % behind is one deviation.
TEST(BestProbability, of_two_is_that_of_their_difference) {
  const double behind = std::exp(0.05 * std::sqrt(2.0));
  EXPECT_NEAR(faster_probability(1, behind, 0.05), 0.8413, 1e-4);
  EXPECT_NEAR(best({1.0, behind})[0], 0.8413, 1e-3);
}

using Ranks = std::vector<int>;
using Times = std::vector<std::optional<double>>;

TEST(SharedRanks, are_places_where_times_lie_apart) {
  EXPECT_EQ(shared_ranks(Times{3.0, 1.0, 2.0}, 0.05), (Ranks{3, 1, 2}));
}

TEST(SharedRanks, are_shared_by_those_that_cannot_be_told_apart) {
  EXPECT_EQ(shared_ranks(Times{1.01, 1.0, 2.0, 2.0}, 0.05), (Ranks{1, 1, 3, 3}));
}

TEST(SharedRanks, those_without_a_time_have_none) {
  EXPECT_EQ(shared_ranks(Times{std::nullopt, 1.0}, 0.05), (Ranks{0, 1}));
}

// Four to one is 0.8416 deviations of the difference.
TEST(SharedRanks, a_pair_can_be_told_apart_at_four_to_one) {
  const double apart = 0.8416 * 0.05 * std::sqrt(2.0);
  EXPECT_EQ(shared_ranks(Times{1.0, std::exp(0.99 * apart)}, 0.05), (Ranks{1, 1}));
  EXPECT_EQ(shared_ranks(Times{1.0, std::exp(1.01 * apart)}, 0.05), (Ranks{1, 2}));
}

}  // namespace
}  // namespace pipewright
