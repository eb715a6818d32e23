#include "result/reliability.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Reliability, a_pair_is_told_by_whom_it_favours) {
  const double predicted[] = {1, 2}, right[] = {3, 4}, wrong[] = {4, 3}, even[] = {5, 5};
  const std::vector<JudgedPair> kept = judged_pairs(predicted, right);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_GT(kept[0].favoured, 0.99);
  EXPECT_TRUE(kept[0].faster);
  EXPECT_FALSE(judged_pairs(predicted, wrong)[0].faster);
  EXPECT_TRUE(judged_pairs(predicted, even).empty());
}

TEST(Reliability, a_coin_scores_a_quarter_and_an_oracle_nothing) {
  EXPECT_FALSE(brier_score({}));
  const JudgedPair coins[] = {{0.5, true}, {0.5, false}}, oracle[] = {{1, true}};
  EXPECT_EQ(brier_score(coins), 0.25);
  EXPECT_EQ(brier_score(oracle), 0);
}

TEST(Reliability, each_group_weighs_one) {
  const std::vector<JudgedPair> large(99, {0.95, true});
  const std::vector<ReliabilityRow> rows = reliability({large, {{0.91, false}}, {{0.62, true}}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].low, 0.6);
  EXPECT_EQ(rows[0].pairs, 1);
  EXPECT_EQ(rows[1].pairs, 100);
  EXPECT_DOUBLE_EQ(rows[1].high, 1);
  EXPECT_NEAR(rows[1].favoured, (0.95 + 0.91) / 2, 1e-12);
  EXPECT_NEAR(rows[1].faster, 0.5, 1e-12);
}

TEST(Reliability, certainty_is_in_the_last_tenth) {
  EXPECT_DOUBLE_EQ(reliability({{{1, true}}})[0].low, 0.9);
  EXPECT_TRUE(reliability({}).empty());
}

}  // namespace
}  // namespace pipewright
