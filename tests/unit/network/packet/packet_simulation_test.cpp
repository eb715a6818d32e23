// Flows that come while packets go on: the same as where all are known beforehand.
#include "network/packet/packet_simulation.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/mixed.hpp"
#include "support/network_units.hpp"

namespace pipewright {
namespace {

using test::us;

/// Four sources whose routes meet at port 4, and go on over port 5.
struct Incast {
  std::vector<Bandwidth> ports = std::vector<Bandwidth>(6, Bandwidth{1e9});
  std::vector<PacketRoute> routes;
  PacketOptions options{.mtu = {1000}, .queue = {20'000}};

  Incast() {
    for (uint32_t source = 0; source < 4; ++source)
      routes.push_back({{source, us}, {4, us}, {5, us}});
  }
  /// Flow `k` of many, some of which lose packets and time out.
  PacketFlow flow(uint64_t k) const {
    return {.routes = {&routes[mixed(k) % 4]},
            .bytes = {static_cast<int64_t>(1 + mixed(~k) % 200'000)},
            .start = static_cast<int64_t>(40 * k) * us};
  }
};

// A number is given again once the timer of its flow is over: here none is.
TEST(PacketSimulation, flows_that_come_later_end_as_those_known_beforehand) {
  Incast incast;
  incast.options.rto = seconds(1);
  std::vector<PacketFlow> flows;
  for (uint64_t k = 0; k < 100; ++k) flows.push_back(incast.flow(k));
  const PacketTraffic known = run_packets(flows, incast.ports, incast.options);
  PacketSimulation simulation(incast.ports, incast.options);
  std::vector<Time> ends(flows.size());
  const auto take = [&](Time until) {
    for (Time now = simulation.run(until); now < longest_time; now = simulation.run(until))
      for (const uint32_t flow : simulation.ended()) ends[flow] = now;
  };
  for (uint32_t k = 0; k < flows.size(); ++k) {
    if (flows[k].start > Time{}) take(flows[k].start - picoseconds(1));
    ASSERT_EQ(simulation.add(flows[k]), k);
    simulation.begin(k, flows[k].start);
  }
  take(longest_time);
  for (size_t k = 0; k < flows.size(); ++k) EXPECT_EQ(ends[k], known.flows[k].end) << k;
  EXPECT_EQ(simulation.sent(), known.sent);
}

// A burst that loses packets holds its numbers while packets of it are on their way.
TEST(PacketSimulation, numbers_of_flows_that_are_over_are_given_again) {
  const Incast incast;
  PacketSimulation simulation(incast.ports, incast.options);
  std::set<uint32_t> numbers, on_their_way;
  Time now;
  for (uint64_t k = 0; k < 1000;) {
    for (; k < 1000 && on_their_way.size() < 10; ++k) {
      const uint32_t number = simulation.add(incast.flow(k));
      EXPECT_TRUE(on_their_way.insert(number).second) << "two flows have one number";
      numbers.insert(number);
      simulation.begin(number, now);
    }
    now = simulation.run(longest_time);
    ASSERT_LT(now, longest_time);
    for (const uint32_t number : simulation.ended()) on_their_way.erase(number);
  }
  EXPECT_LT(numbers.size(), 100u);
}

/// Goes on until a flow ends, and returns when; `longest_time` where none does by `until`.
Time next_end(PacketSimulation& simulation, Time until) {
  Time now = simulation.run(until);
  while (now < longest_time && simulation.ended().empty()) now = simulation.run(until);
  return now;
}

// The last packet of a flow leaves a hop before it arrives.
TEST(PacketSimulation, a_flow_leaves_its_sender_before_it_ends) {
  const Incast incast;
  PacketSimulation simulation(incast.ports, incast.options);
  const uint32_t flow = simulation.add(incast.flow(0));
  simulation.begin(flow, {});
  const Time left_at = simulation.run(longest_time);
  EXPECT_EQ(simulation.left(), std::vector<uint32_t>{flow});
  EXPECT_TRUE(simulation.ended().empty());
  EXPECT_LT(left_at, next_end(simulation, longest_time));
}

TEST(PacketSimulation, one_after_the_other_each_takes_as_long_as_alone) {
  const Incast incast;
  PacketSimulation simulation(incast.ports, incast.options);
  Time now;
  for (uint64_t k = 0; k < 50; ++k) {
    PacketFlow flow = incast.flow(k);
    flow.start = {};
    const Time alone = run_packets(std::span(&flow, 1), incast.ports, incast.options).flows[0].end;
    simulation.begin(simulation.add(flow), now);
    const Time end = next_end(simulation, longest_time);
    EXPECT_NEAR(in_seconds(end - now), in_seconds(alone), 1e-11) << k;
    now = end;
  }
}

TEST(PacketSimulation, goes_no_further_than_it_is_told) {
  const Incast incast;
  PacketSimulation simulation(incast.ports, incast.options);
  PacketFlow flow = incast.flow(0);
  flow.bytes = {1000};  // three ports and three latencies of a microsecond
  simulation.begin(simulation.add(flow), {});
  EXPECT_EQ(next_end(simulation, 6 * us - picoseconds(1)), longest_time);
  EXPECT_TRUE(simulation.ended().empty());
  EXPECT_EQ(next_end(simulation, 6 * us), 6 * us);
  EXPECT_EQ(simulation.ended().size(), 1u);
  EXPECT_EQ(simulation.run(longest_time), longest_time);
}

TEST(PacketSimulation, ports_without_a_limit_keep_the_order_of_packets) {
  Incast incast;
  for (const uint32_t port : {0u, 1u, 2u, 3u, 5u})
    incast.ports[port] = {std::numeric_limits<double>::infinity()};
  std::vector<PacketFlow> flows;
  for (uint64_t k = 0; k < 40; ++k) flows.push_back(incast.flow(k));
  for (const PacketFlowResult& result : run_packets(flows, incast.ports, incast.options).flows)
    EXPECT_GT(result.end, Time{});
}

TEST(PacketSimulation, no_bytes_are_one_packet) {
  EXPECT_EQ(packets_of({0}, {9000}), 1u);
  EXPECT_EQ(packets_of({9000}, {9000}), 1u);
  EXPECT_EQ(packets_of({9001}, {9000}), 2u);
}

}  // namespace
}  // namespace pipewright
