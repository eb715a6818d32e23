#include "network/ranked_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace pipewright::network {
namespace {

TEST(RankedSet, gives_the_least_of_what_is_in_it) {
  RankedSet set(10'000);
  EXPECT_EQ(set.first(), RankedSet::nothing);
  for (const uint32_t number : {9'999u, 70u, 4'096u}) set.insert(number);
  EXPECT_EQ(set.first(), 70u);
  set.erase(70);
  EXPECT_EQ(set.first(), 4'096u);
  set.insert(0);
  EXPECT_EQ(set.first(), 0u);
}

TEST(RankedSet, is_an_ordered_set) {
  for (const uint32_t limit : {1u, 64u, 65u, 4'097u, 20'000u}) {
    std::mt19937 random(limit);
    RankedSet set(limit);
    std::set<uint32_t> expected;
    for (int change = 0; change < 3000; ++change) {
      const uint32_t number = random() % limit;
      if (random() % 3 == 0) {
        set.erase(number);
        expected.erase(number);
      } else {
        set.insert(number);
        expected.insert(number);
      }
      if (random() % 2 == 0 && !expected.empty()) {
        set.erase(*expected.begin());
        expected.erase(expected.begin());
      }
      ASSERT_EQ(set.first(), expected.empty() ? RankedSet::nothing : *expected.begin());
    }
  }
}

}  // namespace
}  // namespace pipewright::network
