// Nodes and fabrics that a file draws link by link.
#include "topology/graph.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::cluster_of;
using test::error_of;

/// Two GPUs and a NIC on each of two PCIe switches, each on a socket, one us a link.
constexpr std::string_view two_sockets = R"(
node:
  device: {flops: {fp32: 1 TFLOP/s}}
  devices: 4
  interconnect:
    kind: graph
    links:
      - {between: [device 0, switch 0], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [device 1, switch 0], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [switch 0, host 0], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [device 2, switch 1], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [device 3, switch 1], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [switch 1, host 1], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [host 0, host 1], link: {bandwidth: 5 GB/s, latency: 1 us}}
      - {between: [switch 0, nic 0], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
      - {between: [switch 1, nic 1], link: {bandwidth: 10 GB/s, latency: 1 us, kind: pcie}}
)";

int64_t latency_us(const Cluster& cluster, int from, int to) {
  return cluster.topology.route(from, to).latency.ps / microseconds(1).ps;
}

TEST(Graph, a_pcie_tree_is_crossed_link_by_link) {
  const Cluster cluster = cluster_of(two_sockets);
  EXPECT_EQ(latency_us(cluster, 0, 1), 2);  // under one switch
  EXPECT_EQ(latency_us(cluster, 0, 2), 5);  // up, across the sockets, down
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 1).bottleneck.bytes_per_s, 10e9);
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 2).bottleneck.bytes_per_s, 5e9);
}

// Device to switch to NIC, up to the centre and the same again; each over the NIC of its own
// switch, so that two flows of the two switches share no link.
TEST(Graph, devices_leave_over_the_nic_of_their_switch) {
  const Cluster cluster =
      cluster_of(std::string(two_sockets) +
                 "nodes: 2\nfabric: {kind: star, nics: 2, link: {bandwidth: 10 GB/s, latency: 2 "
                 "us}}\n");
  EXPECT_EQ(latency_us(cluster, 0, 4), 6);
  const Route near = cluster.topology.route(0, 4), far = cluster.topology.route(2, 6);
  for (const LinkId link : near.links)
    EXPECT_EQ(std::count(far.links.begin(), far.links.end(), link), 0);
}

TEST(Graph, a_node_without_hosts_keeps_its_own) {
  const Cluster cluster = cluster_of(
      "{node: {device: {flops: {fp32: 1 TFLOP/s}, host_link: pcie3}, devices: 3, interconnect: "
      "{kind: graph, links: [{between: [device 0, device 1], link: nvlink2}]}}}");
  EXPECT_EQ(test::kinds_of(cluster.topology, cluster.topology.route(0, 1)), "nvlink");
  EXPECT_EQ(test::kinds_of(cluster.topology, cluster.topology.route(0, 2)), "pcie pcie");
}

TEST(Graph, links_that_cannot_be_say_why) {
  const auto error = [](const std::string& links) {
    return error_of([&] {
      cluster_of(
          "{node: {device: {flops: {fp32: 1 TFLOP/s}}, devices: 2, interconnect: {kind: "
          "graph, links: " +
          links + "}}}");
    });
  };
  const auto link = [&](const std::string& ends) {
    return error("[{between: " + ends + ", link: pcie3}]");
  };
  EXPECT_NE(link("[device 0, device 2]").find("'device 2', but the last can be 1"),
            std::string::npos);
  EXPECT_NE(link("[device 0, gpu 1]").find("must be 'device N', 'switch N', 'host N' or 'nic N'"),
            std::string::npos);
  EXPECT_NE(link("[device 0, device 0]").find("cannot end where it begins"), std::string::npos);
  EXPECT_NE(link("[device 0]").find("a list of two ends"), std::string::npos);
  EXPECT_NE(link("[device 0, nic 1]").find("nics are numbered from 0"), std::string::npos);
  EXPECT_NE(error("7").find("'links' must be a list"), std::string::npos);
}

// A line of three switches, one node on each end and one in the middle.
TEST(GraphFabric, bytes_go_the_way_that_is_drawn) {
  const Cluster cluster = cluster_of(R"(
node: {device: {flops: {fp32: 1 TFLOP/s}}}
nodes: 3
fabric:
  kind: graph
  links:
    - {between: [node 0, switch 0], link: {bandwidth: 10 GB/s, latency: 1 us}}
    - {between: [node 1, switch 1], link: {bandwidth: 10 GB/s, latency: 1 us}}
    - {between: [node 2, switch 2], link: {bandwidth: 10 GB/s, latency: 1 us}}
    - {between: [switch 0, switch 1], link: {bandwidth: 4 GB/s, latency: 1 us}}
    - {between: [switch 1, switch 2], link: {bandwidth: 40 GB/s, latency: 1 us}}
)");
  EXPECT_EQ(latency_us(cluster, 0, 1), 3);
  EXPECT_EQ(latency_us(cluster, 0, 2), 4);
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 2).bottleneck.bytes_per_s, 4e9);
  EXPECT_DOUBLE_EQ(cluster.topology.route(1, 2).bottleneck.bytes_per_s, 10e9);
}

TEST(GraphFabric, equal_ways_are_all_found) {
  const Cluster cluster = cluster_of(R"(
node: {device: {flops: {fp32: 1 TFLOP/s}}}
nodes: 2
fabric:
  kind: graph
  links:
    - {between: [node 0, switch 0], link: eth-10}
    - {between: [node 0, switch 1], link: eth-10}
    - {between: [node 1, switch 0], link: eth-10}
    - {between: [node 1, switch 1], link: eth-10}
)");
  EXPECT_EQ(cluster.topology.equal_cost_routes(0, 1).size(), 2u);
}

TEST(GraphFabric, whose_ends_are_none_says_so) {
  const auto error = [](const std::string& ends) {
    return error_of([&] {
      cluster_of(
          "{node: {device: {flops: {fp32: 1 TFLOP/s}}}, nodes: 2, fabric: {kind: graph, "
          "links: [{between: " +
          ends + ", link: eth-10}]}}");
    });
  };
  EXPECT_NE(error("[node 0, node 7]").find("'node 7', but the cluster has 2 nodes"),
            std::string::npos);
  EXPECT_NE(error("[node 0, rack 1]").find("must be 'node N' or 'switch N'"), std::string::npos);
}

// What no link reaches has no route: told where the fabric is drawn.
TEST(GraphFabric, that_leaves_a_node_out_names_the_devices) {
  const auto error = [](const std::string& links) {
    return error_of([&] {
      cluster_of(
          "{node: {device: {flops: {fp32: 1 TFLOP/s}}, devices: 2}, nodes: 3,\n"
          " fabric: {kind: graph, links: [" +
          links + "]}}");
    });
  };
  const std::string first = "{between: [node 0, switch 0], link: eth-10}";
  const std::string second = ", {between: [node 1, switch 0], link: eth-10}";
  EXPECT_NE(error(first + second)
                .find(":2:10: error: no route from device 0 to device 4: links must join all"),
            std::string::npos);
  // The last node on a switch that nothing joins to the first.
  EXPECT_NE(error(first + second + ", {between: [node 2, switch 1], link: eth-10}")
                .find("no route from device 0 to device 4"),
            std::string::npos);
  EXPECT_EQ(error(first + second + ", {between: [node 2, node 1], link: eth-10}"), "no error");
}

// Two sockets that no link joins: the devices of a node have no way around over the fabric.
TEST(Graph, that_leaves_a_device_out_names_it) {
  std::string apart(two_sockets);
  const size_t joint = apart.find("      - {between: [host 0, host 1]");
  apart.erase(joint, apart.find('\n', joint) + 1 - joint);
  for (const char* more : {"", "nodes: 2\nfabric: {kind: star, nics: 2, link: eth-10}\n"})
    EXPECT_NE(
        error_of([&] { cluster_of(apart + more); }).find("no route from device 0 to device 2"),
        std::string::npos);
}

}  // namespace
}  // namespace pipewright
