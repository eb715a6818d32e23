// Ports of routes, counted by hand.
#include "network/packet/packet_route.hpp"

#include <gtest/gtest.h>

#include "support/clusters.hpp"

namespace pipewright {
namespace {

TEST(PacketRoutes, have_the_latency_of_their_route) {
  const Topology topology =
      test::cluster_of("{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: hdr}}")
          .topology;
  for (const auto& [from, to] : {std::pair(0, 8), std::pair(3, 31), std::pair(16, 1)}) {
    const Route route = topology.route(from, to);
    const PacketRoute ports = packet_route(topology, route);
    ASSERT_FALSE(ports.empty());
    EXPECT_LE(ports.size(), route.links.size());
    Time latency;
    double narrowest = std::numeric_limits<double>::infinity();
    for (const PacketHop& hop : ports) {
      latency += hop.latency;
      narrowest = std::min(narrowest, topology.links()[hop.port].bandwidth.bytes_per_s);
    }
    EXPECT_EQ(latency, route.latency);
    EXPECT_EQ(narrowest, route.bottleneck.bytes_per_s);
  }
}

}  // namespace
}  // namespace pipewright
