#include "report/ranking/sweep.hpp"

#include <gtest/gtest.h>

#include "support/sweep_runs.hpp"

namespace pipewright {
namespace {

TEST(SweepRanking, puts_those_that_fit_first_and_then_the_best) {
  std::vector<SweepRun> runs = {test::sweep_run(9, 1), test::sweep_run(5, 2),
                                test::sweep_run(7, 3)};
  runs[0].feasible = false;
  const SweepRanking found = ranked({{}, {"tokens_per_s"}, test::over(runs)});
  ASSERT_EQ(found.candidates.size(), 3u);
  EXPECT_EQ(found.candidates[0].run, 2u);
  EXPECT_EQ(found.candidates[1].run, 1u);
  EXPECT_EQ(found.candidates[2].run, 0u);
}

TEST(SweepRanking, the_front_is_of_those_that_fit) {
  std::vector<SweepRun> runs = {test::sweep_run(9, 1), test::sweep_run(5, 2),
                                test::sweep_run(7, 2)};
  runs[0].feasible = false;
  const SweepRanking found = ranked({{}, {"tokens_per_s", "energy_j"}, test::over(runs)});
  EXPECT_TRUE(found.candidates[0].front);
  EXPECT_FALSE(found.candidates[1].front) << "as much energy, fewer tokens";
  EXPECT_FALSE(found.candidates[2].front) << "does not fit";
}

TEST(SweepRanking, reasons_that_differ_in_their_numbers_alone_are_one) {
  std::vector<SweepRun> runs(3, {.schedule = "chimera"});
  runs[0].reason = "needs 2 ranks";
  runs[1].reason = "needs 4 ranks";
  runs[2].reason = "is odd";
  const SweepRanking found = ranked({{}, {"tokens_per_s"}, test::over(runs)});
  EXPECT_EQ(found.refused, 3u);
  ASSERT_EQ(found.reasons.size(), 2u);
  const SweepRefusal& numbers = found.reasons.at("needs  ranks");
  EXPECT_EQ(numbers.count, 2);
  EXPECT_EQ(numbers.example, "needs 2 ranks");
  EXPECT_FALSE(numbers.same);
}

}  // namespace
}  // namespace pipewright
