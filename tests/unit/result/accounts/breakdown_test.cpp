#include "result/accounts/breakdown.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

Breakdown of(int64_t forward, int64_t data, int64_t bubble) {
  Breakdown breakdown;
  breakdown[ComputeKind::forward].ps = forward;
  breakdown[Traffic::data].ps = data;
  breakdown.bubble.ps = bubble;
  return breakdown;
}

TEST(Breakdown, its_places_add_up_to_its_total) {
  const Breakdown breakdown = of(3, 4, 5);
  EXPECT_EQ(breakdown.computing(), picoseconds(3));
  EXPECT_EQ(breakdown.communicating(), picoseconds(4));
  EXPECT_EQ(breakdown.total(), picoseconds(12));
}

// 2 x (3, 4, 5) and (12, 0, 0): 18 / 3, 8 / 3 and 10 / 3, of which 8 / 3 lost most.
TEST(Breakdown, a_mean_weighs_and_gives_what_is_left_to_who_lost_most) {
  const WeighedBreakdown parts[] = {{of(3, 4, 5), 2}, {of(12, 0, 0), 1}};
  EXPECT_EQ(mean(parts), of(6, 3, 3));
  EXPECT_EQ(mean(std::span<const WeighedBreakdown>{}), Breakdown{});
}

TEST(Breakdown, is_scaled_to_a_total) {
  EXPECT_EQ(scaled(of(3, 4, 5), picoseconds(24)), of(6, 8, 10));
  EXPECT_EQ(scaled(of(1, 1, 1), picoseconds(2)).total(), picoseconds(2));
  EXPECT_EQ(scaled({}, picoseconds(7)), of(0, 0, 7));
}

TEST(Breakdown, kinds_of_compute_have_names) {
  EXPECT_STREQ(name_of(ComputeKind::forward), "forward");
  EXPECT_STREQ(name_of(ComputeKind::other), "other");
}

}  // namespace
}  // namespace pipewright
