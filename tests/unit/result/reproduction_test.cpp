#include "result/reproduction.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(Verdict, a_gain_holds_within_the_tolerance) {
  EXPECT_EQ(judge(1.20, 1.25, 0.25, Sense::about), Verdict::reproduced);
  EXPECT_EQ(judge(1.18, 1.25, 0.25, Sense::about), Verdict::contradicted);
  EXPECT_EQ(judge(1.31, 1.25, 0.25, Sense::about), Verdict::reproduced);
  EXPECT_EQ(judge(1.32, 1.25, 0.25, Sense::about), Verdict::contradicted);
}

// 1.23 is nineteen twentieths of 1.31, and three quarters of its gain.
TEST(Verdict, a_gain_is_what_is_beyond_one) {
  EXPECT_NEAR(gain_share(1.23, 1.31).value(), 23.0 / 31, 1e-12);
  EXPECT_FALSE(gain_share(1.23, 1));
  EXPECT_FALSE(gain_share(std::nullopt, 1.31));
}

TEST(Verdict, where_nothing_is_gained_the_ratio_counts) {
  EXPECT_EQ(judge(0.96, 1, 0.05, Sense::about), Verdict::reproduced);
  EXPECT_EQ(judge(0.94, 1, 0.05, Sense::at_least), Verdict::contradicted);
}

TEST(Verdict, up_to_is_not_more_than_that) {
  EXPECT_EQ(judge(2.5, 2, 0.1, Sense::up_to), Verdict::contradicted);
}

TEST(Verdict, at_least_may_be_more) {
  EXPECT_EQ(judge(9, 2, 0.1, Sense::at_least), Verdict::reproduced);
  EXPECT_EQ(judge(1.7, 2, 0.1, Sense::at_least), Verdict::contradicted);
}

TEST(Verdict, without_a_figure_nothing_is_tested) {
  EXPECT_EQ(judge(std::nullopt, 2, 0.1, Sense::about), Verdict::not_testable);
}

}  // namespace
}  // namespace pipewright::test
