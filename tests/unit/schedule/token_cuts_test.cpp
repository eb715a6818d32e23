#include "schedule/token_cuts.hpp"

#include <gtest/gtest.h>

namespace pipewright::schedule {
namespace {

/// Two units for a launch, one for a token, none for the context.
Time launch_and_tokens(int length, int) { return Time{2 + length}; }

/// A token costs as much as there are tokens up to the slice's start, and one.
Time growing(int length, int context) { return Time{length * (1 + context)}; }

TEST(FastestCuts, weigh_the_launches_of_short_slices_against_the_bubble_of_long_ones) {
  // 4 tokens, p = 3, sum + 2 max: 4: 6 + 12 = 18; 2+2: 8 + 8 = 16; 1+1+2: 10 + 8; 1+1+1+1: 12 + 6.
  EXPECT_EQ(fastest_cuts({4, 1}, launch_and_tokens, 3, 1), (std::vector<int>{2, 2}));
  // Ten micro-batches amortise the bubble: 60 + 12 whole, 80 + 8 in halves.
  EXPECT_EQ(fastest_cuts({4, 1}, launch_and_tokens, 3, 10), (std::vector<int>{4}));
  // One rank has no bubble.
  EXPECT_EQ(fastest_cuts({4, 1}, launch_and_tokens, 1, 1), (std::vector<int>{4}));
}

TEST(FastestCuts, are_at_multiples_of_the_granularity) {
  // 10 tokens by 4: pieces of 4, 4 and 2. With a thousand ranks only the longest slice counts, and
  // any two pieces joined make one of more than 4 tokens.
  EXPECT_EQ(fastest_cuts({10, 4}, launch_and_tokens, 1000, 1), (std::vector<int>{4, 4, 2}));
}

TEST(BalancedCuts, shorten_slices_with_a_long_context) {
  // Costs of 6 tokens in two slices a, 6-a: a against (6-a)(1+a): 5 and 1*6 is the most alike.
  EXPECT_EQ(balanced_cuts({6, 1}, growing, 2), (std::vector<int>{5, 1}));
  EXPECT_EQ(balanced_cuts({6, 1}, launch_and_tokens, 3), (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(balanced_cuts({6, 1}, growing, 1), (std::vector<int>{6}));
}

}  // namespace
}  // namespace pipewright::schedule
