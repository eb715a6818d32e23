#include "network/slowest.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright {
namespace {

TEST(Slowest, of_two_is_what_times_are_told_for) {
  EXPECT_EQ(slowest_of(1, 0.3), 1);
  EXPECT_EQ(slowest_of(2, 0.3), 1);
  EXPECT_EQ(slowest_of(64, 0), 1);
}

// The largest of 2, 8 and 100 normal draws is 0.5642, 1.4236 and 2.5076 on the mean (Harter, 1961).
TEST(Slowest, grows_with_the_draws_as_their_largest_does) {
  EXPECT_NEAR(std::log(slowest_of(8, 1)), 1.4236 - 0.5642, 0.03);
  EXPECT_NEAR(std::log(slowest_of(100, 1)), 2.5076 - 0.5642, 0.04);
  EXPECT_NEAR(std::log(slowest_of(8, 0.1)), 0.1 * std::log(slowest_of(8, 1)), 1e-12);
}

}  // namespace
}  // namespace pipewright
