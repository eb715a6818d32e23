#include "result/link_tier.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(LinkTier, both_ways_between_like_ends_are_one) {
  EXPECT_EQ(tier_of("device 704 > leaf 88"), tier_of("leaf 0 > device 3"));
  EXPECT_NE(tier_of("device 704 > leaf 88"), tier_of("leaf 0 > spine 3"));
}

}  // namespace
}  // namespace pipewright
