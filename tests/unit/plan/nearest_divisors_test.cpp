#include "plan/nearest_divisors.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(NearestDivisors, are_those_on_each_side) {
  EXPECT_EQ(nearest_divisors(7, 64, 1), ", such as 4 or 8");
  EXPECT_EQ(nearest_divisors(100, 64, 1), ", such as 64");
  EXPECT_EQ(nearest_divisors(7, 12, 1), ", such as 6 or 12");
}

TEST(NearestDivisors, are_multiples) {
  EXPECT_EQ(nearest_divisors(7, 24, 4), ", such as 4 or 8");
  EXPECT_EQ(nearest_divisors(3, 24, 4), ", such as 4");
  EXPECT_EQ(nearest_divisors(3, 8, 16), "");
}

}  // namespace
}  // namespace pipewright
