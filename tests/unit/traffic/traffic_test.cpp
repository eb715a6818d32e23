#include "traffic/traffic.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Four devices, 10 us, 1 GB/s a port.
auto run_traffic(const std::string& flows, const std::string& more = "network: alpha-beta\n") {
  return run(experiment("traffic: " + flows +
                        "\ncluster: {devices: 4, link: {latency: 10 us, bandwidth: 1 GB/s}}\n" +
                        more));
}

// 1 MB at 1 GB/s is a millisecond, after 10 us.
TEST(Traffic, alone_a_flow_takes_latency_and_bytes_over_bandwidth) {
  const auto run = run_traffic("[{from: 0, to: 1, bytes: 1 MB, start: 5 us}]");
  ASSERT_EQ(run.result.traffic.flows.size(), 1u);
  EXPECT_EQ(run.result.traffic.flows[0].start, microseconds(5));
  EXPECT_EQ(run.result.traffic.flows[0].end, microseconds(1015));
  // From the first start to the last end.
  EXPECT_EQ(run.result.metrics.makespan, microseconds(1010));
  EXPECT_EQ(run.result.cost.events, 2u);
}

TEST(Traffic, under_alpha_beta_flows_do_not_see_each_other) {
  const auto run = run_traffic(
      "[{from: 0, to: 1, bytes: 1 MB}, {from: 0, to: 1, bytes: 1 MB}, {from: 2, to: 1, bytes: 0}]");
  EXPECT_EQ(run.result.traffic.flows[0].end, microseconds(1010));
  EXPECT_EQ(run.result.traffic.flows[1].end, microseconds(1010));
  EXPECT_EQ(run.result.traffic.flows[2].end, microseconds(10));
}

// Two flows out of device 0 halve its port.
TEST(Traffic, under_flow_they_share_links) {
  const auto run = run_traffic("[{from: 0, to: 1, bytes: 1 MB}, {from: 0, to: 2, bytes: 1 MB}]",
                               "network: flow\n");
  EXPECT_EQ(run.result.traffic.flows[0].end, microseconds(2010));
  EXPECT_EQ(run.result.traffic.flows[1].end, microseconds(2010));
}

// 4 MB out of device 0 at 1 GB/s; the larger alone takes 10 us + 3 ms.
TEST(Traffic, is_held_to_the_busiest_link_and_to_the_longest_flow) {
  const std::string flows = "[{from: 0, to: 1, bytes: 1 MB}, {from: 0, to: 2, bytes: 3 MB}]";
  const Bounds sharing = run_traffic(flows, "network: flow\n").result.metrics.bounds;
  EXPECT_EQ(sharing.cut, microseconds(4000));
  EXPECT_EQ(sharing.longest_chain, microseconds(3010));
  EXPECT_EQ(run_traffic(flows).result.metrics.bounds.cut, Time{});
}

// The high one has the port of device 0 for its millisecond; the low one moves after it.
TEST(Traffic, under_flow_a_higher_priority_goes_first) {
  const auto run =
      run_traffic("[{from: 0, to: 1, bytes: 1 MB}, {from: 0, to: 2, bytes: 1 MB, priority: 1}]",
                  "network: flow\n");
  EXPECT_EQ(run.result.traffic.flows[1].end, microseconds(1010));
  EXPECT_EQ(run.result.traffic.flows[0].end, microseconds(2010));
}

// Three quarters of 1 GB/s and one quarter: 1 MB takes 4/3 ms; the other has 2/3 MB left by then.
TEST(Traffic, under_flow_weights_share_a_link) {
  const auto run =
      run_traffic("[{from: 0, to: 1, bytes: 1 MB, weight: 3}, {from: 0, to: 2, bytes: 1 MB}]",
                  "network: flow\n");
  EXPECT_NEAR(in_seconds(run.result.traffic.flows[0].end), 10e-6 + 4e-3 / 3, 1e-11);
  EXPECT_NEAR(in_seconds(run.result.traffic.flows[1].end), 10e-6 + 2e-3, 1e-11);
}

// 0.25 GB/s of the port go to the one with a cap, 0.75 to the other.
TEST(Traffic, under_flow_a_cap_leaves_the_rest_to_others) {
  const auto run =
      run_traffic("[{from: 0, to: 1, bytes: 1 MB, cap: 0.25 GB/s}, {from: 0, to: 2, bytes: 3 MB}]",
                  "network: flow\n");
  EXPECT_NEAR(in_seconds(run.result.traffic.flows[0].end), 10e-6 + 4e-3, 1e-11);
  EXPECT_NEAR(in_seconds(run.result.traffic.flows[1].end), 10e-6 + 4e-3, 1e-11);
}

TEST(Traffic, keys_without_meaning_are_refused) {
  const auto error = [](const std::string& key, const char* network) {
    return error_of([&] { run_traffic("[{from: 0, to: 1, bytes: 1, " + key + "}]", network); });
  };
  EXPECT_EQ(error("priority: 1", "network: alpha-beta\n"),
            "x.yaml:1:11: error: 'priority' means nothing under 'network: alpha-beta'");
  EXPECT_EQ(error("weight: 2", "network: packet\n"),
            "x.yaml:1:11: error: 'weight' means nothing under 'network: packet'");
  EXPECT_EQ(error("cap: 1 GB/s", "network: packet\n"),
            "x.yaml:1:11: error: 'cap' means nothing under 'network: packet'");
  EXPECT_EQ(error("priority: 8", "network: packet\n"),
            "x.yaml:1:11: error: priority 8 is not there: the network has 8, from 0 to 7");
}

// Two links of 1 GB/s a way. 100 packets of 10 kB are 10 us each at both, the ways' 10 us once.
TEST(Traffic, under_packet_a_flow_is_stored_and_forwarded) {
  const auto run = run_traffic("[{from: 0, to: 1, bytes: 1 MB, start: 5 us}]",
                               "network: {packet: {mtu: 10 kB}}\n");
  EXPECT_EQ(run.result.traffic.flows[0].end, microseconds(5 + 10 + 10 + 1000));
  ASSERT_EQ(run.result.traffic.packets.size(), 1u);
  EXPECT_EQ(run.result.traffic.packets[0].packets, 100u);
  EXPECT_EQ(run.result.traffic.packets[0].dropped, 0u);
}

// Three send 1 MB each to device 0: with room for ten packets some are lost, and every one arrives.
TEST(Traffic, under_packet_an_incast_loses_packets) {
  const std::string flows =
      "[{from: 1, to: 0, bytes: 1 MB}, {from: 2, to: 0, bytes: 1 MB}, {from: 3, to: 0, bytes: 1 "
      "MB}]";
  const std::string room = "network: {packet: {mtu: 1000, queue: 10 kB, rto: 100 us";
  const auto run = run_traffic(flows, room + "}}\n");
  uint64_t dropped = 0;
  for (const PacketFlowResult& flow : run.result.traffic.packets) {
    dropped += flow.dropped;
    EXPECT_GE(flow.repeated, flow.dropped);
  }
  EXPECT_GT(dropped, 0u);
  EXPECT_GE(run.result.metrics.makespan, microseconds(3000 + 10));
  EXPECT_FALSE(run.result.notes.empty());
  // What need not arrive shortens it.
  const auto lossy = run_traffic(flows, room + ", transport: bounded-loss, loss: 100%}}\n");
  EXPECT_LT(lossy.result.metrics.makespan, run.result.metrics.makespan);
}

TEST(Traffic, to_itself_a_flow_takes_no_time) {
  for (const char* network : {"network: alpha-beta\n", "network: flow\n", "network: packet\n"}) {
    const auto run = run_traffic(
        "[{from: 3, to: 3, bytes: 1 GB, start: 7 us}, {from: 0, to: 1, bytes: 0}]", network);
    EXPECT_EQ(run.result.traffic.flows[0].end, microseconds(7)) << network;
    EXPECT_EQ(run.result.traffic.flows[1].end, microseconds(10)) << network;
  }
}

TEST(Traffic, the_busiest_links_and_all_bytes_are_told) {
  const auto run = run_traffic("[{from: 0, to: 1, bytes: 1 MB}, {from: 0, to: 2, bytes: 3 MB}]");
  EXPECT_EQ(run.result.metrics.communication[0].bytes, 4e6);
  ASSERT_FALSE(run.result.links.empty());
  EXPECT_EQ(run.result.links[0].bytes, 4e6);
}

TEST(Traffic, the_resolved_experiment_gives_the_same_numbers) {
  const auto first = run_traffic("[{from: 0, to: 1, bytes: 1 MB, start: 5 us}]");
  EXPECT_EQ(run(first.result.experiment).result.traffic.flows[0].end,
            first.result.traffic.flows[0].end);
}

// Two routes of 10 GB/s from a port of 20 GB/s: 5 MB take 250 us at the least, and 500 us over one.
// A flow is held to all of its routes, not to the first.
TEST(Traffic, of_packets_that_are_sprayed_is_held_to_all_routes) {
  const auto torus = [](const std::string& packet) {
    return run(experiment("cluster: {node: {devices: 1}, nodes: 9, fabric: {kind: torus, dims: [3, "
                          "3], link: {bandwidth: 10 GB/s, latency: 1 us}}}\n"
                          "traffic: [{from: 0, to: 8, bytes: 5 MB}]\nnetwork: {packet: " +
                          packet + "}\n"))
        .result.metrics;
  };
  const Metrics sprayed = torus("{spray: true}"), one = torus("{spray: false}");
  EXPECT_LT(sprayed.makespan, one.makespan);
  EXPECT_GE(sprayed.bounds.longest_chain, microseconds(240));
  EXPECT_LE(sprayed.bounds.longest_chain, microseconds(252));
  EXPECT_GE(one.bounds.longest_chain, microseconds(490));
}

TEST(Traffic, packets_of_flows_are_sprayed_or_take_the_first_route) {
  const std::string error = error_of([] {
    run(
        experiment("cluster: {devices: 2, link: {latency: 0 s}}\ntraffic: [{from: 0, to: 1, bytes: "
                   "1 MB}]\nnetwork: {packet: {routing: ecmp}}\n"));
  });
  EXPECT_TRUE(
      error.starts_with("x.yaml:3:10: error: 'routing' of packets is for training "
                        "iterations and traces;"))
      << error;
}

// Leaves of two hosts and two spines: packets of two flows from one leaf meet by chance. One draw
// is the run itself.
TEST(Traffic, packets_that_are_drawn_have_quantiles_over_seeds) {
  const auto drawn = [](const std::string& packet) {
    return run(experiment(
                   "cluster: {node: p3.2xlarge, nodes: 8, fabric: {kind: fat-tree, "
                   "link: eth-10, switch_ports: 4, spines: separate}}\n"
                   "traffic: [{from: 0, to: 4, bytes: 1 MB}, {from: 1, to: 6, bytes: 1 MB}]\n"
                   "network: {packet: " +
                   packet + "}\n"))
        .result;
  };
  const RunResult many = drawn("{spray: true, seeds: 9}");
  ASSERT_TRUE(many.ranges.variation);
  EXPECT_EQ(many.ranges.variation->seeds, 9);
  EXPECT_LT(many.ranges.variation->p10, many.ranges.variation->p90);
  const RunResult one = drawn("{spray: true, seeds: 1}");
  EXPECT_EQ(one.ranges.variation->p50, one.metrics.makespan);
  EXPECT_EQ(one.metrics.makespan, many.metrics.makespan);
  EXPECT_FALSE(drawn("{mtu: 9000 B}").ranges.variation);
}

TEST(Traffic, of_packets_that_are_sprayed_lies_on_all_routes) {
  const RunResult result =
      run(experiment("cluster: {node: p3.2xlarge, nodes: 8, fabric: {kind: fat-tree, "
                     "link: eth-10, switch_ports: 4, spines: separate}}\n"
                     "traffic: [{from: 0, to: 4, bytes: 100 MB}, {from: 1, to: 6, bytes: 100 MB}]\n"
                     "network: {packet: {spray: true, seeds: 1}}\n"))
          .result;
  ASSERT_FALSE(result.links.empty());
  for (const LinkUse& link : result.links) EXPECT_LE(link.busy_fraction, 1) << link.name;
}

// Around one switch there is one route: nothing is drawn.
TEST(Traffic, packets_with_one_route_are_run_once) {
  const auto run =
      run_traffic("[{from: 0, to: 1, bytes: 1 MB}]", "network: {packet: {spray: true}}\n");
  EXPECT_FALSE(run.result.ranges.variation);
}

// 9 PB at 1 GB/s are 104 days; the clock has 106.

TEST(Traffic, more_time_than_the_clock_has_is_an_error) {
  for (const char* network : {"network: alpha-beta\n", "network: flow\n"}) {
    const std::string error =
        error_of([&] { run_traffic("[{from: 0, to: 1, bytes: 9 PB, start: 10 d}]", network); });
    EXPECT_TRUE(error.starts_with("x.yaml:1:10: error: ")) << error;
  }
}

// Two islands: 0-1 and 2-3.
TEST(Traffic, devices_without_a_route_are_named_where_they_are_asked_for) {
  Wiring wiring;
  for (int device = 0; device < 2; ++device) {
    wiring.devices.push_back(static_cast<VertexId>(wiring.vertices.size()));
    wiring.vertices.push_back({});
  }
  const Topology islands{wiring};
  const GivenFlow flow{.from = 0,
                       .to = 1,
                       .bytes = Bytes{1},
                       .mark = {std::make_shared<const std::string>("f.csv"), 4, 0}};
  for (const auto how : {Spreading::How::first, Spreading::How::hash, Spreading::How::all}) {
    SpreadRoutes routes(islands, {.how = how});
    EXPECT_EQ(error_of([&] { paths_of({flow}, islands, routes); }),
              "f.csv:4: error: no route from device 0 to device 1");
  }
}

// 1 ms and 10 us each; the second begins 1 ms after the first, the third with it.
TEST(Traffic, flows_may_begin_after_others_under_every_network) {
  const std::string flows =
      "[{from: 0, to: 1, bytes: 1 MB, name: a},"
      " {from: 1, to: 2, bytes: 1 MB, name: b, after: a, delay: 1 ms},"
      " {from: 2, to: 2, bytes: 0, after: [a, b]}]";
  for (const char* network : {"alpha-beta", "flow", "{packet: {mtu: 1000}}"}) {
    const auto flow =
        run_traffic(flows, "network: " + std::string(network) + "\n").result.traffic.flows;
    EXPECT_EQ(flow[1].start, flow[0].end + milliseconds(1));
    EXPECT_NEAR(in_seconds(flow[1].end - flow[1].start), in_seconds(flow[0].end), 1e-9);
    EXPECT_EQ(flow[2].start, flow[1].end);
    EXPECT_EQ(flow[2].end, flow[1].end);
  }
}

TEST(Traffic, the_bound_counts_chains_of_flows) {
  const std::string flows =
      "[{from: 0, to: 1, bytes: 1 MB, name: a}, {from: 1, to: 2, bytes: 1 MB, after: a, delay: 1 "
      "ms}]";
  EXPECT_EQ(run_traffic(flows).result.metrics.bounds.longest_chain, microseconds(2 * 1010 + 1000));
}

TEST(Traffic, a_flow_comes_after_earlier_ones_only) {
  const auto error = [](const std::string& flows) {
    return error_of([&] { run_traffic("[" + flows + "]"); });
  };
  EXPECT_TRUE(error("{from: 0, to: 1, bytes: 1, after: b}, {from: 0, to: 1, bytes: 1, name: b}")
                  .ends_with("no flow before this one is called 'b'"));
  EXPECT_TRUE(error("{from: 0, to: 1, bytes: 1, delay: 1 s}")
                  .ends_with("a delay is counted from the end of the flows named in 'after'"));
}

}  // namespace
}  // namespace pipewright::test
