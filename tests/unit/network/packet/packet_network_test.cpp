// Closed forms of store and forward. A packet of 1000 B takes a microsecond over a link of 1 GB/s.
#include "network/packet/packet_network.hpp"

#include <gtest/gtest.h>

#include <list>
#include <numeric>

#include "base/error.hpp"
#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::gigabyte_per_s;
using test::us;
constexpr uint32_t all_at_once = 1'000'000;  // a window for any flow here

/// Ports of 1 GB/s, and flows over them with 10 us after each port.
struct SmallNetwork {
  std::vector<Bandwidth> ports;
  PacketOptions options{.mtu = {1000}, .queue = {1'000'000'000}};
  std::vector<PacketFlow> flows;
  std::list<PacketRoute> routes;
  Time latency = 10 * us;

  explicit SmallNetwork(size_t links) : ports(links, gigabyte_per_s) {}

  PacketFlow& add(const std::vector<std::vector<uint32_t>>& paths, int64_t bytes, Time start = {},
                  int priority = 0) {
    PacketFlow flow{.routes = {}, .bytes = {bytes}, .start = start, .priority = priority};
    for (const std::vector<uint32_t>& path : paths) {
      PacketRoute& route = routes.emplace_back();
      for (const uint32_t port : path) route.push_back({port, latency});
      flow.routes.push_back(&route);
    }
    return flows.emplace_back(flow);
  }
  PacketTraffic run() const { return run_packets(flows, ports, options); }
  Time end_of_first() const { return run().flows[0].end; }
};

/// Every packet once, however many are lost: a datagram burst.
void send_blindly(SmallNetwork& network) {
  network.options.transport = Transport::bounded_loss;
  network.options.loss = 1;
  network.options.window = all_at_once;
}

TEST(Packets, one_over_h_hops_takes_h_times_its_length_and_latency) {
  for (uint32_t hops = 1; hops <= 5; ++hops) {
    SmallNetwork network(5);
    std::vector<uint32_t> path(hops);
    std::iota(path.begin(), path.end(), 0u);
    network.add({path}, 1000, 3 * us);
    EXPECT_EQ(network.end_of_first(), 3 * us + int64_t{hops} * (us + network.latency));
  }
}

// The last begins n - 1 lengths after the first.
TEST(Packets, n_in_a_pipeline_take_n_minus_1_lengths_more) {
  SmallNetwork network(3);
  network.add({{0, 1, 2}}, 50'000);
  EXPECT_EQ(network.end_of_first(), 3 * (us + network.latency) + 49 * us);
}

// 250 B take 250 ns at each of two links; the packet before it leaves each as it comes.
TEST(Packets, the_last_is_as_long_as_what_is_left) {
  SmallNetwork network(2);
  network.add({{0, 1}}, 2250);
  EXPECT_EQ(network.end_of_first(),
            2 * us + nanoseconds(250) + network.latency + us + network.latency);
}

TEST(Packets, the_narrowest_link_sets_the_pace) {
  SmallNetwork network(3);
  network.ports[1] = {0.25e9};  // 4 us a packet
  network.add({{0, 1, 2}}, 50'000);
  EXPECT_EQ(network.end_of_first(), 6 * us + 3 * network.latency + 49 * (4 * us));
}

TEST(Packets, nothing_still_pays_the_latency) {
  SmallNetwork network(2);
  network.add({{0, 1}}, 0);
  EXPECT_EQ(network.end_of_first(), 2 * network.latency);
}

TEST(Packets, links_without_limit_only_have_latency) {
  SmallNetwork network(2);
  network.ports = {{std::numeric_limits<double>::infinity()},
                   {std::numeric_limits<double>::infinity()}};
  network.add({{0, 1}}, 5'000'000);
  EXPECT_EQ(network.end_of_first(), 2 * network.latency);
}

// Both are there after 1 us + 10 us; from then on port 2 is busy for 200 us, and they take turns,
// so that one ends with the last and the other with the one before.
TEST(Packets, two_flows_into_one_port_take_turns) {
  SmallNetwork network(3);
  network.add({{0, 2}}, 100'000);
  network.add({{1, 2}}, 100'000);
  const PacketTraffic traffic = network.run();
  EXPECT_EQ(traffic.flows[0].end, 11 * us + 199 * us + network.latency);
  EXPECT_EQ(traffic.flows[1].end, 11 * us + 200 * us + network.latency);
}

TEST(Packets, two_flows_of_one_source_take_turns) {
  SmallNetwork network(1);
  network.add({{0}}, 100'000);
  network.add({{0}}, 10'000);
  const PacketTraffic traffic = network.run();
  EXPECT_EQ(traffic.flows[1].end, 20 * us + network.latency);
  EXPECT_EQ(traffic.flows[0].end, 110 * us + network.latency);
}

// A source of 4 GB/s into a link of 1 GB/s: 100 packets arrive within 25 us, of which the link has
// begun to serve 25 when the last comes, and 10 have room to wait.
TEST(Packets, of_an_overload_is_dropped_what_is_neither_served_nor_waits) {
  SmallNetwork network(2);
  send_blindly(network);
  network.ports[0] = {4e9};
  network.options.queue = {10'000};
  network.add({{0, 1}}, 100'000);
  const PacketTraffic traffic = network.run();
  EXPECT_EQ(traffic.dropped[0], 0u);
  EXPECT_EQ(traffic.dropped[1], 100u - 25 - 10);
  EXPECT_EQ(traffic.flows[0].dropped, traffic.dropped[1]);
  EXPECT_EQ(traffic.sent, 100u + 35);
  // The first arrives after 250 ns + 10 us; then 35 are served one after the other.
  EXPECT_EQ(traffic.flows[0].end, nanoseconds(250) + network.latency + 35 * us + network.latency);
}

// The high flow finds the port busy with one packet of the low one at most; then all its own go.
TEST(Packets, the_low_priority_waits_for_the_high_one) {
  SmallNetwork network(3);
  network.add({{0, 2}}, 100'000, Time{}, 0);
  network.add({{1, 2}}, 30'000, picoseconds(20'500'000), 5);
  const PacketTraffic traffic = network.run();
  // It arrives 11 us after its start, at 31.5 us; the packet at the port is done at 32 us.
  EXPECT_EQ(traffic.flows[1].end, 32 * us + 30 * us + network.latency);
  EXPECT_EQ(traffic.flows[0].end, 11 * us + 130 * us + network.latency);
}

TEST(Packets, of_one_source_the_higher_priority_goes_first) {
  SmallNetwork network(1);
  network.add({{0}}, 20'000, Time{}, 0);
  network.add({{0}}, 20'000, Time{}, 1);
  const PacketTraffic traffic = network.run();
  EXPECT_EQ(traffic.flows[1].end, 20 * us + network.latency);  // nothing has begun before
  EXPECT_EQ(traffic.flows[0].end, 40 * us + network.latency);
}

// Each priority has a queue of its own: what is low cannot take the room of what is high.
TEST(Packets, drops_of_one_priority_are_its_own) {
  SmallNetwork network(3);
  send_blindly(network);
  network.ports[0] = {4e9};
  network.options.queue = {10'000};
  network.add({{0, 2}}, 100'000, Time{}, 0);
  network.add({{1, 2}}, 20'000, Time{}, 1);
  const PacketTraffic traffic = network.run();
  EXPECT_GT(traffic.flows[0].dropped, 60u);
  EXPECT_EQ(traffic.flows[1].dropped, 0u);
}

// There and back takes one packet 11 us over each of two hops, and its acknowledgement 20 us.
TEST(Packets, a_window_holds_back_what_is_not_acknowledged) {
  SmallNetwork network(2);
  network.options.window = 1;
  network.add({{0, 1}}, 2'000);
  // The second leaves when the first is acknowledged.
  EXPECT_EQ(network.end_of_first(), 42 * us + 22 * us);
}

TEST(Packets, a_window_grows_by_one_every_round_trip) {
  SmallNetwork network(2);
  network.options.window = 1;
  network.add({{0, 1}}, 6'000);
  // 1, then 2, then 2 again, as each acknowledgement adds less than 1/2: the sixth in round four.
  const Time round_trip = 42 * us;
  EXPECT_EQ(network.end_of_first(), 3 * round_trip + 22 * us);
}

// A source twice as fast as the link beyond it: half of what does not fit the queue is lost, and
// sent again once a later packet is acknowledged.
TEST(Packets, a_reliable_flow_repeats_what_was_lost) {
  SmallNetwork network(2);
  network.ports[0] = {2e9};
  network.options.queue = {10'000};
  network.options.window = all_at_once;
  network.add({{0, 1}}, 100'000);
  const PacketTraffic traffic = network.run();
  EXPECT_GT(traffic.flows[0].dropped, 0u);
  EXPECT_EQ(traffic.flows[0].repeated, traffic.flows[0].dropped);
  EXPECT_EQ(traffic.sent, 2 * 100u + traffic.flows[0].dropped);
  EXPECT_GE(traffic.flows[0].end, 100 * us);
}

// Two arrive at once, one is served and one waits; the third, a microsecond later, finds no room,
// and nothing comes after it, so that only the time-out tells.
TEST(Packets, a_lost_tail_waits_for_the_time_out) {
  SmallNetwork network(3);
  network.options.queue = {1000};
  network.options.rto = milliseconds(2);
  for (const uint32_t source : {0u, 1u}) network.add({{source, 2}}, 1000);
  network.add({{0, 2}}, 1000);
  network.ports[2] = {0.1e9};  // 10 us a packet
  const PacketTraffic traffic = network.run();
  EXPECT_EQ(traffic.flows[0].end, 11 * us + 10 * us + network.latency);
  EXPECT_EQ(traffic.flows[1].end, 11 * us + 20 * us + network.latency);
  EXPECT_EQ(traffic.flows[2].timeouts, 1u);
  // It began at 1 us, and over again 2 ms later.
  EXPECT_EQ(traffic.flows[2].end, us + milliseconds(2) + 11 * us + 10 * us + network.latency);
}

TEST(Packets, a_flow_that_may_miss_some_does_not_wait_for_them) {
  SmallNetwork network(3);
  network.options.queue = {1000};
  network.options.transport = Transport::bounded_loss;
  network.options.window = all_at_once;
  network.ports[0] = {2e9};
  network.ports[2] = {1e9};
  network.options.loss = 0.6;
  network.add({{0, 2}}, 100'000);
  const PacketTraffic traffic = network.run();
  EXPECT_GT(traffic.flows[0].dropped, 0u);
  EXPECT_EQ(traffic.flows[0].repeated, 0u);
  EXPECT_EQ(traffic.flows[0].timeouts, 0u);
  // Sent within 50 us, served until then and little after.
  EXPECT_LT(traffic.flows[0].end, 50 * us + 2 * network.latency + 3 * us);
}

TEST(Packets, beyond_its_bound_a_flow_repeats_what_it_misses) {
  SmallNetwork network(2);
  network.options.queue = {1000};
  network.options.transport = Transport::bounded_loss;
  network.options.window = all_at_once;
  network.ports[0] = {2e9};
  network.options.loss = 0.1;
  network.add({{0, 1}}, 100'000);
  const PacketTraffic traffic = network.run();
  EXPECT_GT(traffic.flows[0].dropped, 10u);
  EXPECT_GT(traffic.flows[0].repeated, 0u);
  EXPECT_GE(traffic.flows[0].end, 90 * us);  // 90 packets over the second link
}

TEST(Packets, without_loss_a_flow_that_may_miss_some_gets_all) {
  SmallNetwork network(2);
  network.options.transport = Transport::bounded_loss;
  network.options.loss = 0.5;
  network.add({{0, 1}}, 50'000);
  EXPECT_EQ(network.end_of_first(), 2 * (us + network.latency) + 49 * us);
}

// Four ways in the middle, each a quarter as fast as the ends: one way alone is four times as slow.
TEST(Packets, sprayed_they_use_all_routes) {
  SmallNetwork network(6);
  for (const uint32_t middle : {1u, 2u, 3u, 4u}) network.ports[middle] = {0.25e9};
  network.add({{0, 1, 5}, {0, 2, 5}, {0, 3, 5}, {0, 4, 5}}, 1'000'000);
  network.options.window = all_at_once;
  EXPECT_GE(network.end_of_first(), 4000 * us);
  network.options.spray = true;
  const Time sprayed = network.end_of_first();
  EXPECT_GE(sprayed, 1000 * us);
  // The fullest of four has 1000/4 packets and seldom more than three deviations of sqrt(187.5).
  EXPECT_LT(sprayed, (250 + 50) * (4 * us) + 40 * us);
  EXPECT_EQ(sprayed, network.end_of_first());
  network.options.seed = 1;
  EXPECT_NE(sprayed, network.end_of_first());
}

TEST(Packets, what_is_dropped_delivered_and_repeated_adds_up) {
  SmallNetwork network(40);
  network.options.queue = {8'000};
  network.options.rto = microseconds(50);
  for (uint32_t source = 0; source < 32; ++source)
    network.add({{source, 32 + source % 8}}, 40'000 + 1000 * source, int64_t{source} * us,
                static_cast<int>(source % 3));
  const PacketTraffic traffic = network.run();
  const uint64_t dropped =
      std::accumulate(traffic.dropped.begin(), traffic.dropped.end(), uint64_t{0});
  uint64_t sent = 0, of_flows = 0;
  for (const PacketFlowResult& flow : traffic.flows) {
    sent += flow.packets + flow.repeated;
    of_flows += flow.dropped;
    EXPECT_GT(flow.end, Time{});
  }
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(dropped, of_flows);
  EXPECT_EQ(traffic.sent, 2 * sent - dropped);  // over a first port, and what is not dropped over
                                                // a second
}

/// Forty-eight sources that send whole packets to eight ports at much the same time.
SmallNetwork crowd() {
  SmallNetwork network(56);
  network.options.rto = microseconds(50);
  network.options.queue = {40'000};
  for (uint32_t source = 0; source < 48; ++source)
    network.add({{source, 48 + source % 8}}, 40'000 + 1000 * source, int64_t{source} * us);
  return network;
}

std::vector<Time> ends(const PacketTraffic& traffic) {
  std::vector<Time> ends;
  for (const PacketFlowResult& flow : traffic.flows) ends.push_back(flow.end);
  return ends;
}

TEST(Packets, marks_mean_nothing_to_who_slows_down_by_losses) {
  SmallNetwork network = crowd();
  const PacketTraffic plain = network.run();
  network.options.mark = Bytes{3'000};
  EXPECT_EQ(ends(network.run()), ends(plain));
}

// A packet of 1000 B that finds more than 7000 B waiting finds no room in a queue of 8000.
TEST(Packets, all_small_gradients_make_the_queue_as_short_as_the_mark) {
  SmallNetwork marked = crowd(), shorter = crowd();
  marked.options.mark = Bytes{7'000};
  marked.options.small = 1;
  shorter.options.queue = {8'000};
  const PacketTraffic traffic = marked.run();
  EXPECT_EQ(ends(traffic), ends(shorter.run()));
  for (const PacketFlowResult& flow : traffic.flows) EXPECT_EQ(flow.dropped_small, flow.dropped);
}

TEST(Packets, small_gradients_are_dropped_in_place_of_others) {
  SmallNetwork network = crowd();
  const auto drops = [&] {
    std::pair<uint64_t, uint64_t> small_and_others;
    for (const PacketFlowResult& flow : network.run().flows) {
      small_and_others.first += flow.dropped_small;
      small_and_others.second += flow.dropped - flow.dropped_small;
    }
    return small_and_others;
  };
  const auto [none, all] = drops();
  EXPECT_EQ(none, 0u);
  network.options.mark = Bytes{20'000};
  network.options.small = 0.5;
  const auto [small, others] = drops();
  EXPECT_GT(small, 0u);
  EXPECT_LT(others, all);
}

// Two long flows share a port: slowed down by losses they fill its queue again and again, by marks
// they never do. The port is busy all the time, but for the first packet on its way.
TEST(Packets, who_slows_down_by_marks_loses_nothing) {
  SmallNetwork network(3);
  network.options.queue = {60'000};
  network.options.mark = Bytes{20'000};
  for (const uint32_t source : {0u, 1u}) network.add({{source, 2}}, 3'000'000);
  EXPECT_GT(network.run().dropped[2], 0u);
  network.options.control = RateControl::dctcp;
  const PacketTraffic traffic = network.run();
  EXPECT_EQ(traffic.dropped[2], 0u);
  const Time last = std::max(traffic.flows[0].end, traffic.flows[1].end);
  EXPECT_GE(last, 6000 * us);
  EXPECT_LT(last, 6300 * us);
}

TEST(Packets, more_than_can_be_simulated_are_refused) {
  SmallNetwork network(1);
  network.add({{0}}, 2'000'000'000'000);
  EXPECT_THROW(network.run(), Failure);
}

}  // namespace
}  // namespace pipewright
