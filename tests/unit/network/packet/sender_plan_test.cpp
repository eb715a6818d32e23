#include "network/packet/sender_plan.hpp"

#include <gtest/gtest.h>

#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::us;
const PacketRoute route = {{0, 4 * us}, {1, 5 * us}};
constexpr Bandwidth ports[] = {{2e9}, {1e9}};

// A packet of 1000 B takes 0.5 and 1 us and 9 us of latency; its acknowledgement 9 us. The narrow
// link sends 19.5 packets in that time.
TEST(SenderPlan, the_window_keeps_the_narrowest_link_busy) {
  const PacketFlow flow{.routes = {&route}, .bytes = {1'000'000}};
  const SenderPlan plan = plan_of(flow, ports, {.mtu = {1000}});
  EXPECT_EQ(plan.packets, 1000u);
  EXPECT_EQ(plan.round_trip, nanoseconds(19'500));
  EXPECT_EQ(plan.window, 20u);
  EXPECT_EQ(plan.line_bytes_per_s, 2e9);
}

TEST(SenderPlan, a_rate_needs_no_window) {
  const PacketFlow flow{.routes = {&route}, .bytes = {1'000'000}};
  const PacketOptions options{.mtu = {1000}, .control = RateControl::dcqcn, .mark = Bytes{9000}};
  EXPECT_EQ(plan_of(flow, ports, options).window, 1000u);
}

TEST(SenderPlan, no_bytes_are_a_packet) {
  EXPECT_EQ(packets_of({0}, {1000}), 1u);
  EXPECT_EQ(packets_of({1000}, {1000}), 1u);
  EXPECT_EQ(packets_of({1001}, {1000}), 2u);
}

}  // namespace
}  // namespace pipewright
