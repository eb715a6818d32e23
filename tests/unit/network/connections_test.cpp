// Connections between nodes, counted by hand.
#include "network/connections.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "support/clusters.hpp"

namespace pipewright {
namespace {

constexpr const char* four_nodes =
    "{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: hdr}}";

std::vector<int> devices(int count, int step = 1) {
  std::vector<int> all;
  for (int k = 0; k < count; ++k) all.push_back(k * step);
  return all;
}

double sum(const std::vector<Connection>& all) {
  double shares = 0;
  for (const Connection& one : all) shares += one.share;
  return shares;
}

// All bytes go from each node to the next, over eight rails; a chain has no way back.
TEST(Connections, of_a_ring_carry_all_bytes_from_node_to_node) {
  const Topology topology = test::cluster_of(four_nodes).topology;
  const auto ring = connections_between_nodes(topology, CollectiveKind::all_reduce, devices(32));
  EXPECT_EQ(ring.size(), 4u * 8u);
  EXPECT_DOUBLE_EQ(sum(ring), 4);
  const auto chain = connections_between_nodes(topology, CollectiveKind::broadcast, devices(32));
  EXPECT_EQ(chain.size(), 3u * 8u);
  for (const Connection& one : ring) EXPECT_EQ(one.to, (one.from + 8) % 32);
}

// Each of 16 members on two nodes has eight peers on the other.
TEST(Connections, to_all_peers_leave_out_those_on_the_same_node) {
  const Topology topology = test::cluster_of(four_nodes).topology;
  const auto all = connections_between_nodes(topology, CollectiveKind::all_to_all, devices(16));
  EXPECT_EQ(all.size(), 16u * 8u);
  std::map<int, double> sent, received;
  for (const Connection& one : all) {
    sent[one.origin < 0 ? one.from : one.origin] += one.share;
    received[one.to] += one.share;
  }
  for (int device = 0; device < 16; ++device) {
    EXPECT_DOUBLE_EQ(sent[device], 8);
    EXPECT_DOUBLE_EQ(received[device], 8);
  }
}

TEST(Connections, on_one_node_are_none) {
  const Topology topology = test::cluster_of(four_nodes).topology;
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all})
    EXPECT_TRUE(connections_between_nodes(topology, kind, devices(8)).empty());
}

// In a group of more than 65, five places on each of twelve other nodes stand for all, with the
// bytes of all. Twelve nodes have eight members, one has four.
TEST(Connections, of_a_large_group_carry_the_bytes_of_all) {
  const Topology topology =
      test::cluster_of("{node: dgx-a100-80g, nodes: 13, fabric: {kind: fat-tree, link: hdr}}")
          .topology;
  const std::vector<int> members = devices(100);
  EXPECT_NEAR(sum(connections_to_peers(topology, members)), 100 * 99, 1e-6);
  EXPECT_EQ(connections_to_peers(topology, members).size(), 100u * 60u + 12u * 8u * 7u + 4u * 3u);
}

// Every one of 104 members on 13 nodes sends 96 parts to other nodes and gets 96 from there, over
// the network port of its own number.
TEST(Connections, of_a_large_group_load_all_ports_alike) {
  const Topology topology =
      test::cluster_of("{node: dgx-a100-80g, nodes: 13, fabric: {kind: fat-tree, link: hdr}}")
          .topology;
  std::map<int, double> leaving, received;
  for (const Connection& one :
       connections_between_nodes(topology, CollectiveKind::all_to_all, devices(104))) {
    leaving[one.from] += one.share;
    received[one.to] += one.share;
  }
  for (int device = 0; device < 104; ++device) {
    EXPECT_NEAR(leaving[device], 96, 1e-9);
    EXPECT_NEAR(received[device], 96, 1e-9);
  }
}

// Device 1 of node 0 reaches device 6 of node 2 (number 22) over device 6 of its own node.
TEST(Connections, stay_on_the_rail_of_the_receiver_where_nvlink_leads_to_it) {
  const Topology topology = test::cluster_of(four_nodes).topology;
  EXPECT_EQ(relay_of(topology, 1, 22), 6);
  EXPECT_EQ(relay_of(topology, 1, 17), 1);
  EXPECT_EQ(relay_of(topology, 1, 6), 1);
  for (const Connection& one :
       connections_between_nodes(topology, CollectiveKind::all_to_all, devices(32)))
    EXPECT_EQ(one.from % 8, one.to % 8);
}

TEST(Connections, are_direct_without_nvlink_or_where_no_device_has_the_number) {
  const Topology pcie =
      test::cluster_of("{node: h100-pcie, nodes: 2, fabric: {kind: star, link: eth-100}}").topology;
  EXPECT_EQ(relay_of(pcie, 1, 8 + 6), 1);
  const Topology mixed =
      test::cluster_of(
          "{groups: [{node: p3.8xlarge, nodes: 1}, {node: p3.16xlarge, nodes: 1}],"
          " fabric: {kind: star, link: eth-25}}")
          .topology;
  EXPECT_EQ(relay_of(mixed, 0, 4 + 6), 0);
}

}  // namespace
}  // namespace pipewright
