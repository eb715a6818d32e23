#include "result/reproduction.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(Verdict, a_ratio_holds_within_the_tolerance) {
  EXPECT_EQ(judge(1.19, 1.25, 0.05, Sense::about), Verdict::reproduced);
  EXPECT_EQ(judge(1.18, 1.25, 0.05, Sense::about), Verdict::contradicted);
  EXPECT_EQ(judge(1.31, 1.25, 0.05, Sense::about), Verdict::reproduced);
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
