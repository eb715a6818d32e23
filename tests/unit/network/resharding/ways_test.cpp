#include "network/resharding/ways.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"

namespace pipewright::resharding {
namespace {

const Topology& two_hosts_of_four_nics() {
  static const Topology topology =
      test::cluster_of("{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 4}}")
          .topology;
  return topology;
}

TEST(Ways, of_a_route_between_hosts_are_the_nics_of_its_ends) {
  const Topology& topology = two_hosts_of_four_nics();
  const Ways ways = ways_of(topology, topology.route(2, 15));
  const Vertex &out = topology.vertices()[ways.out], &in = topology.vertices()[ways.in];
  EXPECT_EQ(out.kind, VertexKind::nic);
  EXPECT_EQ(out.node, topology.node(2));
  EXPECT_EQ(out.index, 1u);
  EXPECT_EQ(in.node, topology.node(15));
  EXPECT_EQ(in.index, 3u);
}

TEST(Ways, devices_that_a_link_joins_are_their_own) {
  const Topology topology =
      test::cluster_of("{devices: 2, link: {latency: 1 us, bandwidth: 1 GB/s}}").topology;
  const Ways ways = ways_of(topology, topology.route(0, 1));
  EXPECT_EQ(topology.vertices()[ways.out].node, topology.node(0));
  EXPECT_EQ(topology.vertices()[ways.in].node, topology.node(1));
}

TEST(Ways, neighbours_that_share_a_nic_are_on_one_rail) {
  const Topology& topology = two_hosts_of_four_nics();
  EXPECT_EQ(rail_of(topology, 2), rail_of(topology, 3));
  EXPECT_EQ(rail_of(topology, 2), rail_of(topology, 10));
  EXPECT_NE(rail_of(topology, 2), rail_of(topology, 4));
}

}  // namespace
}  // namespace pipewright::resharding
