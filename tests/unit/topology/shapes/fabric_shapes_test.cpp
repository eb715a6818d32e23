// What two devices of different nodes have between them, by shape.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "clusters.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::cluster_of;
using test::count;

/// Nodes of one bare device (no host latency) on switches with four ports, 1 us and 10 GB/s a hop.
Cluster small_tree(int nodes, std::string_view more = "") {
  return cluster_of(
      fmt::format("{{node: {{device: {{flops: {{fp32: 1 TFLOP/s}}}}}}, nodes: {}, "
                  "fabric: {{kind: fat-tree, switch_ports: 4, link: {{latency: 1 us, bandwidth: 10 "
                  "GB/s}}{}}}}}",
                  nodes, more));
}

int64_t hops(const Cluster& cluster, int from, int to) {
  return cluster.topology.route(from, to).latency.ps / microseconds(1).ps;
}

TEST(FatTree, all_nics_on_one_leaf_while_they_fit) {
  const Cluster cluster = small_tree(4);
  EXPECT_EQ(count(cluster.topology, VertexKind::leaf), 1);
  EXPECT_EQ(hops(cluster, 0, 3), 2);
}

TEST(FatTree, leaves_of_half_the_ports_under_spines) {
  const Cluster cluster = small_tree(8);
  EXPECT_EQ(count(cluster.topology, VertexKind::leaf), 4);
  EXPECT_EQ(count(cluster.topology, VertexKind::spine), 1);
  EXPECT_EQ(hops(cluster, 0, 1), 2);
  EXPECT_EQ(hops(cluster, 0, 2), 4);
}

TEST(FatTree, blocks_under_a_core_when_leaves_are_more_than_ports) {
  // Ten nodes: five leaves of two, blocks of two leaves.
  const Cluster cluster = small_tree(10);
  EXPECT_EQ(count(cluster.topology, VertexKind::leaf), 5);
  EXPECT_EQ(count(cluster.topology, VertexKind::spine), 3);
  EXPECT_EQ(count(cluster.topology, VertexKind::core), 1);
  EXPECT_EQ(hops(cluster, 0, 1), 2);
  EXPECT_EQ(hops(cluster, 0, 3), 4);
  EXPECT_EQ(hops(cluster, 0, 4), 6);
}

TEST(FatTree, uplinks_carry_all_nics_of_a_leaf_divided_by_the_oversubscription) {
  const auto uplink = [](const Cluster& cluster) {
    for (const Link& link : cluster.topology.links()) {
      if (cluster.topology.vertices()[link.from].kind == VertexKind::leaf &&
          cluster.topology.vertices()[link.to].kind == VertexKind::spine)
        return link.bandwidth.bytes_per_s * 1e-9;
    }
    return 0.0;
  };
  EXPECT_DOUBLE_EQ(uplink(small_tree(8)), 20);  // two NICs of 10
  // Four ports at 3 : 1 are three down and one up: three NICs of 10 over 10.
  EXPECT_DOUBLE_EQ(uplink(small_tree(9, ", oversubscription: 3")), 10);
}

// Two nodes a leaf at 2:1, whose uplink has the 10 GB/s of one; the fifth node is alone on its
// leaf.
TEST(FatTree, a_leaf_with_fewer_nodes_has_uplinks_like_the_others) {
  for (const char* spines : {"", ", spines: separate"}) {
    const Topology topology =
        small_tree(5, fmt::format(", oversubscription: 2{}", spines)).topology;
    EXPECT_DOUBLE_EQ(topology.route(4, 0).bottleneck.bytes_per_s, 10e9) << spines;
  }
}

TEST(FatTree, equal_ranks_of_a_pod_share_a_leaf) {
  // 96 nodes with 8 NICs on switches of 40 ports: pods of 20 nodes, 8 rails each, the last of 16.
  const Cluster cluster = cluster_of("selene-96");
  EXPECT_EQ(count(cluster.topology, VertexKind::leaf), 5 * 8);
  EXPECT_EQ(cluster.topology.route(0, 8).links.size(), 4u);       // rail 0 to rail 0, next node
  EXPECT_EQ(cluster.topology.route(0, 15).links.size(), 6u);      // rail 0 to rail 7, next node
  EXPECT_EQ(cluster.topology.route(0, 20 * 8).links.size(), 6u);  // rail 0, the next pod
}

// 192 nodes: ten pods, 80 leaves, so a core above blocks of 20: two whole rails each.
TEST(FatTree, every_rail_is_as_far_from_pod_to_pod) {
  const Cluster cluster = cluster_of("{base: selene-96, nodes: 192}");
  EXPECT_EQ(count(cluster.topology, VertexKind::spine), 4);
  for (const int node : {1, 20, 39, 40, 60, 191}) {
    const size_t expected = node < 20 ? 4 : 6;
    for (int rail = 0; rail < 8; ++rail)
      EXPECT_EQ(cluster.topology.route(rail, 8 * node + rail).links.size(), expected) << node;
  }
  EXPECT_EQ(cluster.topology.route(0, 8 * 20 + 1).links.size(), 6u);  // rail 1, of the same block
  EXPECT_EQ(cluster.topology.route(0, 8 * 20 + 2).links.size(), 8u);  // rail 2, over the core
}

// Two rails of four pods on blocks of three leaves: each rail has a block of three and one of one.
TEST(FatTree, rails_that_need_several_blocks_are_cut_alike) {
  const Cluster cluster = cluster_of(
      "{node: p3.8xlarge, nodes: 12, fabric: {kind: fat-tree, nics: 2, switch_ports: 6, "
      "link: {latency: 1 us, bandwidth: 10 GB/s}}}");
  EXPECT_EQ(count(cluster.topology, VertexKind::leaf), 8);
  EXPECT_EQ(count(cluster.topology, VertexKind::spine), 4);
}

TEST(FatTree, latency_is_per_hop_and_the_host_links_count_too) {
  // 0.5 us PCIe, 0.85 us to the leaf, 0.85 us on, 0.5 us PCIe.
  const Cluster cluster = cluster_of("{node: dgx-a100-80g, nodes: 2}");
  EXPECT_EQ(cluster.topology.route(0, 8).latency, nanoseconds(2700));
}

TEST(Nics, devices_share_where_there_are_fewer_and_add_up_where_there_are_more) {
  const auto nic_bandwidth = [](int nics) {
    const Cluster cluster = cluster_of(fmt::format(
        "{{node: dgx-h100, nodes: 2, fabric: {{kind: fat-tree, link: eth-100, nics: {}}}}}", nics));
    for (const Link& link : cluster.topology.links())
      if (cluster.topology.vertices()[link.to].kind == VertexKind::leaf)
        return std::pair{cluster.nodes[0].nics, link.bandwidth.bytes_per_s * 1e-9};
    return std::pair{0, 0.0};
  };
  EXPECT_EQ(nic_bandwidth(4), (std::pair{4, 12.5}));
  EXPECT_EQ(nic_bandwidth(8), (std::pair{8, 12.5}));
  EXPECT_EQ(nic_bandwidth(32), (std::pair{8, 50.0}));  // four for each device, seen as one
}

TEST(Nics, unused_devices_leave_their_nics_out) {
  const Cluster cluster = cluster_of("{node: p4d.24xlarge, nodes: 2, devices: 8}");
  EXPECT_EQ(cluster.nodes[0].devices, 4);
  EXPECT_EQ(cluster.nodes[0].nics, 2);
}

TEST(Star, latency_is_from_end_to_end_and_a_node_has_one_port) {
  const Cluster cluster = cluster_of(
      "{node: p3.16xlarge, nodes: 8, fabric: {kind: star, link: {latency: 5 ms, bandwidth: 1 "
      "Gb/s}}}");
  const Route route = cluster.topology.route(3, 60);
  EXPECT_EQ(route.latency, milliseconds(5));
  EXPECT_DOUBLE_EQ(route.bottleneck.bytes_per_s, 0.125e9);
  EXPECT_EQ(cluster.nodes[0].nics, 1);
}

TEST(Star, odd_latencies_are_not_rounded_away) {
  const Cluster cluster =
      cluster_of("{node: p3.2xlarge, nodes: 2, fabric: {kind: star, link: {latency: 7 ps}}}");
  EXPECT_EQ(cluster.topology.route(0, 1).latency, picoseconds(7));
  EXPECT_EQ(cluster.topology.route(1, 0).latency, picoseconds(7));
}

TEST(Star, has_no_oversubscription) {
  EXPECT_EQ(
      test::error_of([] {
        cluster_of(
            "{node: dgx-h100, nodes: 2, fabric: {kind: star, link: ndr, oversubscription: 2}}");
      }),
      "cluster.yaml:1:60: error: unknown key 'oversubscription'; a star fabric has: kind, "
      "link, nics, measured");
}

/// Nodes of one bare device, 1 us and 10 GB/s a hop.
Cluster fabric_of(int nodes, std::string_view fabric) {
  return cluster_of(
      fmt::format("{{node: {{device: {{flops: {{fp32: 1 TFLOP/s}}}}}}, nodes: {}, fabric: {{{}, "
                  "link: {{latency: 1 us, bandwidth: 10 GB/s}}}}}}",
                  nodes, fabric));
}

// In rings of 4 and 5 the way is the shorter one round; the last dimension is numbered fastest.
TEST(Torus, distance_is_the_sum_of_ways_round_the_rings) {
  const Cluster cluster = fabric_of(20, "kind: torus, dims: [4, 5]");
  for (int to = 1; to < 20; ++to) {
    const int rows = to / 5, columns = to % 5;
    EXPECT_EQ(hops(cluster, 0, to), std::min(rows, 4 - rows) + std::min(columns, 5 - columns));
  }
}

// Three dimensions of 64 places: 3 * 64 links. A ring of two is one link, one of one none.
TEST(Torus, has_a_link_for_every_place_and_dimension) {
  const auto links = [](const Cluster& cluster) {
    size_t directions = 0;
    for (const Link& link : cluster.topology.links()) {
      directions += cluster.topology.vertices()[link.from].kind == VertexKind::router &&
                    cluster.topology.vertices()[link.to].kind == VertexKind::router;
    }
    return directions / 2;
  };
  EXPECT_EQ(links(fabric_of(64, "kind: torus, dims: [4, 4, 4]")), 3u * 64);
  EXPECT_EQ(links(fabric_of(2, "kind: torus, dims: [1, 2]")), 1u);
}

TEST(Torus, whose_dims_are_not_the_nodes_says_so) {
  EXPECT_THAT(test::error_of([] { fabric_of(12, "kind: torus, dims: [4, 4]"); }),
              testing::HasSubstr("a torus of these dims has 16 places, the cluster 12 nodes"));
}

// Groups of two routers with one global link each: three groups. Link 0 of group 0 leads from its
// router 0 to group 1, link 1 from its router 1 to group 2.
TEST(Dragonfly, a_way_is_at_most_local_global_local) {
  const Cluster cluster =
      fabric_of(12, "kind: dragonfly, routers: 2, nodes_per_router: 2, global_links: 1");
  EXPECT_EQ(hops(cluster, 0, 1), 0);  // one router
  EXPECT_EQ(hops(cluster, 0, 2), 1);  // the other router of the group
  for (int to = 4; to < 12; ++to) {
    EXPECT_GE(hops(cluster, 0, to), 1) << to;
    EXPECT_LE(hops(cluster, 0, to), 3) << to;
  }
  EXPECT_EQ(hops(cluster, 0, 6), 1);  // group 1 is entered at its router 1 (link 1 leads back)
  EXPECT_EQ(hops(cluster, 0, 8), 2);  // over router 1 to router 0 of group 2
}

// Faster global links draw no chain of them, which would load each of them more.
TEST(Dragonfly, a_way_crosses_one_global_link_however_short_their_latency) {
  for (const char* latency : {"0 us", "0.1 us", "0.5 us", "1 us", "3 us"}) {
    const Cluster cluster = fabric_of(
        72, fmt::format("kind: dragonfly, routers: 4, nodes_per_router: 2, global_links: 2, "
                        "global_link: {{bandwidth: 10 GB/s, latency: {}}}",
                        latency));
    for (int to = 8; to < 72; ++to) {
      const Topology& topology = cluster.topology;
      const auto crossed = std::ranges::count_if(topology.route(0, to).links, [&](LinkId link) {
        return topology.links()[link].joins_groups;
      });
      EXPECT_EQ(crossed, 1) << latency << ' ' << to;
    }
  }
}

TEST(Dragonfly, of_more_groups_than_links_reach_says_so) {
  EXPECT_THAT(test::error_of([] {
                fabric_of(8, "kind: dragonfly, routers: 2, nodes_per_router: 1, global_links: 1");
              }),
              testing::HasSubstr("4 groups, but 2 routers with 1 global links each reach 3"));
}

TEST(Dragonfly, of_broken_groups_says_so) {
  EXPECT_THAT(test::error_of([] {
                fabric_of(5, "kind: dragonfly, routers: 2, nodes_per_router: 1, global_links: 1");
              }),
              testing::HasSubstr("5 nodes are not whole groups"));
}

TEST(SingleSwitch, latency_is_end_to_end_and_bandwidth_a_port_s) {
  const Cluster cluster = cluster_of("{devices: 4, link: {latency: 5 us, bandwidth: 25 GB/s}}");
  const Route route = cluster.topology.route(1, 3);
  EXPECT_EQ(route.latency, microseconds(5));
  EXPECT_DOUBLE_EQ(route.bottleneck.bytes_per_s, 25e9);
}

TEST(Matrix, rows_are_from_and_columns_to) {
  const Cluster cluster = cluster_of(
      "{devices: 2, latency_matrix: [[0 s, 1 ms], [9 ms, 0 s]],\n"
      " bandwidth_matrix: [[0, 1 GB/s], [2 GB/s, 0]]}");
  EXPECT_EQ(cluster.topology.route(0, 1).latency, milliseconds(1));
  EXPECT_EQ(cluster.topology.route(1, 0).latency, milliseconds(9));
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 1).bottleneck.bytes_per_s, 1e9);
  EXPECT_DOUBLE_EQ(cluster.topology.route(1, 0).bottleneck.bytes_per_s, 2e9);
}

}  // namespace
}  // namespace pipewright
