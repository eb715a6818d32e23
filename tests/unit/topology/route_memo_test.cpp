#include "topology/route_memo.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// What was kept for one direction says nothing of the other.
TEST(RouteMemo, gives_back_the_route_of_a_pair_and_no_other) {
  RouteMemo memo;
  memo.keep(1, 2, {.links = {7, 9}, .latency = microseconds(3), .bottleneck = {25e9}});
  const std::optional<Route> found = memo.find(1, 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->links, (std::vector<LinkId>{7, 9}));
  EXPECT_EQ(found->latency, microseconds(3));
  EXPECT_EQ(found->bottleneck.bytes_per_s, 25e9);
  EXPECT_FALSE(memo.find(2, 1));
}

// Of all pairs of 1,024 devices, four times what may be held, it holds a part.
TEST(RouteMemo, stops_far_below_devices_squared) {
  RouteMemo memo;
  constexpr int devices = 1024;
  for (int from = 0; from < devices; ++from)
    for (int to = 0; to < devices; ++to) memo.keep(from, to, {.links = {}});
  int held = 0;
  for (int from = 0; from < devices; ++from)
    for (int to = 0; to < devices; ++to) held += memo.find(from, to).has_value();
  EXPECT_GT(held, 0);
  EXPECT_LE(held, 1 << 18);
}

}  // namespace
}  // namespace pipewright::test
