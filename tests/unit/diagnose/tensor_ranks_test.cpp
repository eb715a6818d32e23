#include "diagnose/tensor_ranks.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::TensorRank;

TEST(TensorRanks, of_alike_ones_the_first_stands_for_all) {
  const std::vector<TensorRank> ranks = {{0, 0, 1, 5}, {0, 0, 0, 5}, {1, 0, 0, 5}};
  EXPECT_EQ(diagnose::stand_for_groups(ranks), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(diagnose::notes_on_groups(ranks),
            std::vector<std::string>{"of each tensor group the first rank stands for all"});
}

TEST(TensorRanks, the_slow_one_is_named_and_stands_for_those_that_wait) {
  const std::vector<TensorRank> ranks = {{0, 2, 0, 4}, {0, 2, 1, 6}, {0, 2, 2, 4}};
  EXPECT_EQ(diagnose::stand_for_groups(ranks), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(diagnose::notes_on_groups(ranks),
            (std::vector<std::string>{
                "of each tensor group the rank that computes longest stands for all",
                "of data rank 0, stage 2 it is tensor rank 1 that is slow: it computes 1.50 times "
                "as long as the others of its group"}));
}

TEST(TensorRanks, context_ranks_are_called_so) {
  const std::vector<TensorRank> ranks = {{1, 0, 0, 4}, {1, 0, 1, 4}, {1, 0, 2, 4}, {1, 0, 3, 6}};
  EXPECT_NE(diagnose::notes_on_groups(ranks, 4).back().find("it is context rank 3 that"),
            std::string::npos);
  EXPECT_NE(diagnose::notes_on_groups(ranks, 2).back().find("tensor rank 1, context rank 1"),
            std::string::npos);
}

TEST(TensorRanks, ranks_of_one_number_are_no_group) {
  const std::vector<TensorRank> ranks = {{0, 0, 0, 4}, {0, 0, 0, 6}};
  EXPECT_EQ(diagnose::stand_for_groups(ranks), (std::vector<bool>{true, true}));
  EXPECT_TRUE(diagnose::notes_on_groups(ranks).empty());
}

// A slow device updates its weights slowly, too.
TEST(TensorRanks, updates_are_held_against_those_of_the_others) {
  const std::vector<TensorRank> ranks = {{0, 0, 0, 4, 1}, {0, 0, 1, 6, 1.4}, {0, 0, 2, 4, 1}};
  const auto slow = diagnose::slow_members(ranks);
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_NEAR(slow[0].slowdown, 1.5, 1e-9);
  EXPECT_NEAR(slow[0].of_updates, 1.4, 1e-9);
  EXPECT_EQ(diagnose::slow_members({{0, 0, 0, 4}, {0, 0, 1, 6}}).at(0).of_updates, 1);
}

// The first begins its passes early and waits in them for the second.
TEST(TensorRanks, of_alike_ones_that_which_waits_least_stands_for_all) {
  const std::vector<TensorRank> ranks = {
      {0, 0, 0, 5, 1, 7}, {0, 0, 1, 5, 1, 6}, {0, 0, 2, 3, 1, 4}};
  EXPECT_EQ(diagnose::stand_for_groups(ranks), (std::vector{false, true, false}));
}

}  // namespace
}  // namespace pipewright::test
