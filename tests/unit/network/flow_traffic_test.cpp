#include "network/flow_traffic.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "clusters.hpp"
#include "network/max_min.hpp"

namespace pipewright {
namespace {

struct Sent {
  int from, to;
  Bytes bytes{1'000'000'000};
  Time start;
};

/// Ends of traffic over a cluster.
std::vector<Time> ends_of(std::string_view cluster, const std::vector<Sent>& sent) {
  const Topology topology = test::cluster_of(cluster).topology;
  std::vector<std::vector<uint32_t>> links;
  std::vector<TrafficFlow> flows;
  links.reserve(sent.size());
  for (const Sent& flow : sent) {
    const Route route = topology.route(flow.from, flow.to);
    links.push_back(shared_links(topology, route));
    flows.push_back({links.back(), route.latency, flow.bytes, flow.start});
  }
  MaxMinSharing network(shared_capacities(topology));
  return run_traffic(flows, network);
}

// A gigabyte alone takes a second and the latency of a millisecond.
constexpr std::string_view four_devices = "{devices: 4, link: {latency: 1 ms, bandwidth: 1 GB/s}}";

TEST(FlowTraffic, a_flow_alone_takes_latency_and_bytes_over_bandwidth) {
  EXPECT_EQ(ends_of(four_devices, {{0, 1}}), std::vector<Time>{milliseconds(1001)});
}

TEST(FlowTraffic, two_into_one_port_share_it) {
  EXPECT_EQ(ends_of(four_devices, {{0, 2}, {1, 2}}),
            (std::vector<Time>{milliseconds(2001), milliseconds(2001)}));
}

TEST(FlowTraffic, two_out_of_one_port_share_it) {
  EXPECT_EQ(ends_of(four_devices, {{0, 1}, {0, 2}}),
            (std::vector<Time>{milliseconds(2001), milliseconds(2001)}));
}

TEST(FlowTraffic, a_port_is_full_duplex) {
  EXPECT_EQ(ends_of(four_devices, {{0, 1}, {1, 0}}),
            (std::vector<Time>{milliseconds(1001), milliseconds(1001)}));
}

TEST(FlowTraffic, a_shared_link_is_half_duplex) {
  const auto ends = ends_of(
      "{devices: 4, link: {latency: 1 ms, bandwidth: 1 GB/s, sharing: shared}}", {{0, 1}, {1, 0}});
  EXPECT_EQ(ends, (std::vector<Time>{milliseconds(2001), milliseconds(2001)}));
}

TEST(FlowTraffic, bytes_share_links_only_after_the_latency) {
  // The second one's bytes come 500 ms after the first's, which has half a gigabyte left then: it
  // takes another second, in which the second one gets half of its own; the rest takes 500 ms.
  const auto ends = ends_of(four_devices, {{0, 2}, {1, 2, {1'000'000'000}, milliseconds(500)}});
  EXPECT_EQ(ends, (std::vector<Time>{milliseconds(1501), milliseconds(2001)}));
}

TEST(FlowTraffic, flows_may_be_given_in_any_order) {
  const Sent early{0, 2}, late{1, 2, {1'000'000'000}, milliseconds(500)};
  const auto ends = ends_of(four_devices, {late, early});
  EXPECT_EQ(ends, (std::vector<Time>{milliseconds(2001), milliseconds(1501)}));
}

TEST(FlowTraffic, four_flows_over_a_fabric_of_half_the_bandwidth) {
  // Two nodes of four GPUs, each GPU with a port of 50 GB/s; 10 GB/s between the nodes. All four
  // GPUs of one node send 1 GB: 4 GB over 10 GB/s.
  const auto ends = ends_of(
      "{node: p3.8xlarge, nodes: 2, fabric: {kind: star, link: {latency: 0 s, bandwidth: 10 "
      "Gb/s}}}",
      {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  for (const Time end : ends) EXPECT_NEAR(in_seconds(end), 3.2, 1e-3);
}

TEST(FlowTraffic, a_flow_that_gets_nothing_is_named) {
  MaxMinSharing network(std::vector<Bandwidth>{{1e9}, {0}});
  const std::vector<uint32_t> open{0}, closed{1};
  const std::vector<TrafficFlow> flows{{open, {}, {1}, {}}, {closed, {}, {1}, {}}};
  try {
    run_traffic(flows, network);
    FAIL() << "it ended";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "flow 1 gets no bandwidth and never ends");
  }
}

TEST(FlowTraffic, a_start_beyond_the_clock_is_refused) {
  MaxMinSharing network(std::vector<Bandwidth>{{1e9}});
  const std::vector<uint32_t> link{0};
  const std::vector<TrafficFlow> flows{{link, microseconds(1), {1}, longest_time}};
  EXPECT_THROW(run_traffic(flows, network), Failure);
}

}  // namespace
}  // namespace pipewright
