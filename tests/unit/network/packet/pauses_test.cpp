// Laws of pause frames: nothing is lost where queues have room for what is on its way, a full link
// stays full, and who shares a paused link waits too.
#include "network/packet/pauses.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::gigabyte_per_s;
using test::us;
constexpr int64_t packet_bytes = 1000;  // a microsecond

TEST(Pauses, a_queue_stops_each_port_once_until_it_holds_less) {
  Pauses pauses(3, {.pause = Bytes{500}, .priorities = 2});
  EXPECT_FALSE(pauses.stops(pauses.number(2, 1), {0, us}, Bytes{500}));
  EXPECT_TRUE(pauses.stops(pauses.number(2, 1), {0, us}, Bytes{501}));
  EXPECT_FALSE(pauses.stops(pauses.number(2, 1), {0, us}, Bytes{900}));
  EXPECT_TRUE(pauses.stops(pauses.number(2, 1), {1, us}, Bytes{900}));
  EXPECT_TRUE(pauses.released(pauses.number(2, 1), Bytes{501}).empty());
  EXPECT_EQ(pauses.released(pauses.number(2, 1), Bytes{500}).size(), 2u);
  EXPECT_TRUE(pauses.released(pauses.number(2, 1), Bytes{0}).empty());
}

TEST(Pauses, a_port_goes_on_once_no_queue_stops_it) {
  Pauses pauses(2, {.pause = Bytes{500}, .priorities = 1});
  EXPECT_TRUE(pauses.stop(0));
  EXPECT_FALSE(pauses.stop(0));
  EXPECT_FALSE(pauses.go_on(0));
  EXPECT_TRUE(pauses.go_on(0));
}

/// `senders` send 300 packets each over a port of their own and ports of 1 GB/s between; all
/// windows are open.
PacketTraffic incast(uint32_t senders, const PacketOptions& options) {
  std::vector<PacketRoute> routes;
  for (uint32_t sender = 0; sender < senders; ++sender)
    routes.push_back({{sender, us}, {senders, us}});
  std::vector<PacketFlow> flows;
  for (const PacketRoute& route : routes)
    flows.push_back({.routes = {&route}, .bytes = {300 * packet_bytes}});
  const std::vector<Bandwidth> ports(senders + 1, gigabyte_per_s);
  return run_packets(flows, ports, options);
}

PacketOptions paused(int64_t queue, int64_t pause) {
  return {.mtu = {packet_bytes},
          .queue = {queue * packet_bytes},
          .pause = Bytes{pause * packet_bytes},
          .rto = milliseconds(100),
          .window = 1'000'000};
}

uint64_t dropped(const PacketTraffic& traffic) {
  uint64_t sum = 0;
  for (const PacketFlowResult& flow : traffic.flows) sum += flow.dropped;
  return sum;
}

// A link holds what it sends in a round trip of 2 us, and the packets that have begun by then: 4 of
// each of 8 senders, beyond the 20 at which the queue pauses.
TEST(Pauses, an_incast_loses_nothing_and_keeps_the_last_link_full) {
  const PacketTraffic traffic = incast(8, paused(20 + 8 * 4, 20));
  EXPECT_EQ(dropped(traffic), 0u);
  Time last;
  for (const PacketFlowResult& flow : traffic.flows) last = std::max(last, flow.end);
  EXPECT_EQ(last, us + us + 8 * 300 * us + us);
}

TEST(Pauses, without_them_the_same_queue_loses_packets) {
  PacketOptions options = paused(52, 20);
  options.pause.reset();
  EXPECT_GT(dropped(incast(8, options)), 0u);
}

TEST(Pauses, without_room_for_what_is_on_its_way_packets_are_lost_all_the_same) {
  EXPECT_GT(dropped(incast(8, paused(21, 20))), 0u);
}

TEST(Pauses, where_no_queue_fills_nothing_changes) {
  PacketOptions options = paused(52, 20);
  const PacketTraffic with = incast(1, options);
  options.pause.reset();
  EXPECT_EQ(with.flows[0].end, incast(1, options).flows[0].end);
}

// Eight senders and a bystander of the same leaf share an uplink (port 9). They fill the port of
// one device; the bystander goes to another one, which is free. Senders' ports are a tenth as fast.
Time end_of_bystander(const PacketOptions& options) {
  std::vector<PacketRoute> routes;
  for (uint32_t sender = 0; sender < 8; ++sender)
    routes.push_back({{sender, us}, {9, us}, {10, us}});
  routes.push_back({{8, us}, {9, us}, {11, us}});
  std::vector<PacketFlow> flows;
  for (const PacketRoute& route : routes)
    flows.push_back({.routes = {&route}, .bytes = {100 * packet_bytes}});
  std::vector<Bandwidth> ports(12, gigabyte_per_s);
  ports[9] = {4e9};
  for (uint32_t sender = 0; sender < 9; ++sender) ports[sender] = {0.4e9};
  return run_packets(flows, ports, options).flows.back().end;
}

TEST(Pauses, hold_up_others_on_a_paused_link) {
  PacketOptions options = paused(400, 20);
  const Time held_up = end_of_bystander(options);
  options.pause.reset();
  options.queue = {10'000 * packet_bytes};
  const Time alone = end_of_bystander(options);
  EXPECT_GT(in_seconds(held_up), 1.3 * in_seconds(alone));
}

}  // namespace
}  // namespace pipewright
