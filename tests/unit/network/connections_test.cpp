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
    sent[one.from] += one.share;
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

// In a group of more than 65, 64 distances stand for all, with the bytes of all.
TEST(Connections, of_a_large_group_carry_the_bytes_of_all) {
  const std::vector<int> members = devices(100);
  EXPECT_NEAR(sum(connections_to_peers(members)), 100 * 99, 1e-6);
  EXPECT_EQ(connections_to_peers(members).size(), 100u * 64u);
}

}  // namespace
}  // namespace pipewright
