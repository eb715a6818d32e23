#include "plan/stage_placement.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"

namespace pipewright::test {
namespace {

schedule::Schedule four_ranks(const char* name) {
  return schedule::build({.ranks = 4, .micro_batches = 8}, config::scalar(name));
}

TEST(StagePlacement, stages_go_round_without_a_schedule) {
  const StagePlacement placement(4);
  EXPECT_EQ(placement.rank_of(6), 2);
  EXPECT_EQ(placement.ranks_of(6), std::vector<int>{2});
  EXPECT_TRUE(placement.holds(2, 6));
  EXPECT_FALSE(placement.holds(3, 6));
}

TEST(StagePlacement, a_schedule_says_who_holds_what) {
  const StagePlacement placement(four_ranks("zb-v"));  // stages go down the ranks and up again
  EXPECT_EQ(placement.rank_of(4), 3);
  EXPECT_EQ(placement.rank_of(7), 0);
}

TEST(StagePlacement, two_ranks_may_hold_a_stage) {
  const StagePlacement placement(four_ranks("chimera"));
  EXPECT_EQ(placement.ranks_of(1), (std::vector<int>{1, 2}));
  EXPECT_EQ(placement.rank_of(1), 1);
  EXPECT_TRUE(placement.holds(2, 1));
  EXPECT_FALSE(placement.holds(0, 1));
}

}  // namespace
}  // namespace pipewright::test
