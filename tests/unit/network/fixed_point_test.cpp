#include "network/fixed_point.hpp"

#include <gtest/gtest.h>

namespace pipewright::network {
namespace {

TEST(FixedPoint, a_division_rounds_down_on_either_side_of_zero) {
  EXPECT_TRUE(divide_down(7, 2) == 3);
  EXPECT_TRUE(divide_down(-7, 2) == -4);
}

TEST(FixedPoint, what_is_taken_within_the_range_is_exact) {
  Fixed rest = Fixed{1} << 100;
  EXPECT_FALSE(take(rest, Fixed{1} << 90, 1025));
  EXPECT_TRUE(rest == -(Fixed{1} << 90));
  EXPECT_FALSE(take(rest, -(Fixed{1} << 90), 1));
  EXPECT_TRUE(rest == 0);
}

TEST(FixedPoint, what_leaves_the_range_is_noticed_and_can_be_taken_back) {
  const Fixed large = Fixed{1} << 120;
  for (const uint64_t n : {uint64_t{1} << 8, uint64_t{1} << 40, (uint64_t{1} << 62) - 1}) {
    Fixed rest = large;
    EXPECT_TRUE(take(rest, large, n));
    take(rest, -large, n);
    EXPECT_TRUE(rest == large);
  }
  Fixed sum = 0;  // each of them is within the range
  for (int k = 0; k < 32; ++k) EXPECT_FALSE(take(sum, large, 4));
  EXPECT_TRUE(take(sum, large, 1));
}

}  // namespace
}  // namespace pipewright::network
