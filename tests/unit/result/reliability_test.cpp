#include "result/reliability.hpp"

#include <gtest/gtest.h>

#include <iterator>

namespace pipewright {
namespace {

TEST(Reliability, a_pair_is_told_by_whom_it_favours) {
  const double predicted[] = {1, 2}, right[] = {3, 4}, wrong[] = {4, 3}, even[] = {5, 5};
  const std::vector<JudgedPair> kept = judged_pairs(predicted, right);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_GT(kept[0].favoured, 0.99);
  EXPECT_EQ(kept[0].faster, 1);
  EXPECT_EQ(judged_pairs(predicted, wrong)[0].faster, 0);
  EXPECT_TRUE(judged_pairs(predicted, even).empty());
}

// Two runs with one prediction: neither is favoured, whichever stands first and was the faster.
TEST(Reliability, a_tie_favours_neither) {
  const double predicted[] = {1, 1}, first[] = {3, 4}, second[] = {4, 3};
  for (const std::span<const double> measured : {std::span(first), std::span(second)}) {
    const std::vector<JudgedPair> tie = judged_pairs(predicted, measured);
    ASSERT_EQ(tie.size(), 1u);
    EXPECT_EQ(tie[0].favoured, 0.5);
    EXPECT_EQ(tie[0].faster, 0.5);
    EXPECT_EQ(brier_score(tie), 0.25);
  }
}

TEST(Reliability, the_order_of_runs_does_not_matter) {
  const double predicted[] = {1, 1, 2, 2, 1.02}, measured[] = {2, 1, 4, 3, 1.5};
  std::vector<double> back_predicted(std::rbegin(predicted), std::rend(predicted));
  std::vector<double> back_measured(std::rbegin(measured), std::rend(measured));
  const auto there = judged_pairs(predicted, measured),
             back = judged_pairs(back_predicted, back_measured);
  EXPECT_NEAR(brier_score(there).value(), brier_score(back).value(), 1e-12);
  const auto rows = reliability({there}), back_rows = reliability({back});
  ASSERT_EQ(rows.size(), back_rows.size());
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i].faster, back_rows[i].faster, 1e-12);
}

TEST(Reliability, a_coin_scores_a_quarter_and_an_oracle_nothing) {
  EXPECT_FALSE(brier_score({}));
  const JudgedPair coins[] = {{0.5, 1}, {0.5, 0}}, oracle[] = {{1, 1}};
  EXPECT_EQ(brier_score(coins), 0.25);
  EXPECT_EQ(brier_score(oracle), 0);
}

TEST(Reliability, each_group_weighs_one) {
  const std::vector<JudgedPair> large(99, {0.95, 1});
  const std::vector<ReliabilityRow> rows = reliability({large, {{0.91, 0}}, {{0.62, 1}}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].low, 0.6);
  EXPECT_EQ(rows[0].pairs, 1);
  EXPECT_EQ(rows[1].pairs, 100);
  EXPECT_DOUBLE_EQ(rows[1].high, 1);
  EXPECT_NEAR(rows[1].favoured, (0.95 + 0.91) / 2, 1e-12);
  EXPECT_NEAR(rows[1].faster, 0.5, 1e-12);
}

TEST(Reliability, certainty_is_in_the_last_tenth) {
  EXPECT_DOUBLE_EQ(reliability({{{1, 1}}})[0].low, 0.9);
  EXPECT_TRUE(reliability({}).empty());
}

}  // namespace
}  // namespace pipewright
