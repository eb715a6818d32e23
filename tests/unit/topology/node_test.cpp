#include "topology/cluster/node.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "support/clusters.hpp"
#include "topology/host_route.hpp"

namespace pipewright {
namespace {

NodeType node_of(std::string_view yaml) {
  return read_node(config::parse(yaml, "node.yaml"), config::Catalogue());
}

TEST(Node, a_catalogue_node) {
  const NodeType node = node_of("dgx-a100-80g");
  EXPECT_EQ(node.name, "dgx-a100-80g");
  EXPECT_EQ(node.device.name, "a100-sxm-80g");
  EXPECT_EQ(node.devices, 8);
  EXPECT_EQ(node.shape->name, "nvswitch");
  EXPECT_DOUBLE_EQ(node.link.bandwidth.bytes_per_s, 300e9);
  EXPECT_DOUBLE_EQ(node.host_link.bandwidth.bytes_per_s, 31e9);
}

TEST(Node, without_an_interconnect_devices_meet_in_the_host) {
  EXPECT_EQ(node_of("{device: k80, devices: 8}").shape->name, "pcie");
}

TEST(Node, has_a_price_beside_that_of_its_devices) {
  const NodeType node =
      node_of("{device: {base: k80, price_per_hour: 2}, devices: 8, price_per_hour: 7.2}");
  EXPECT_EQ(node.price_per_hour, 7.2);
  EXPECT_EQ(node.device.operating.price_per_hour, 2);
}

TEST(Node, an_unknown_interconnect_suggests_the_nearest) {
  EXPECT_EQ(test::error_of([] { node_of("{device: k80, interconnect: {kind: nvswich}}"); }),
            "node.yaml:1:36: error: unknown kind 'nvswich' of interconnect; there are: "
            "nvswitch, hybrid-cube-mesh, full-mesh, graph, pcie; did you mean 'nvswitch'?");
}

TEST(Node, a_shape_has_a_largest_size) {
  EXPECT_EQ(
      test::error_of([] {
        node_of(
            "{device: k80, devices: 9, interconnect: {kind: hybrid-cube-mesh, link: "
            "nvlink2}}");
      }),
      "node.yaml:1:48: error: a hybrid-cube-mesh joins at most 8 devices, and the node has 9");
}

TEST(Node, only_the_used_devices_are_laid) {
  Wiring wiring;
  const NodeWiring laid = wire_node(wiring, node_of("dgx-a100-80g"), 0, 3);
  EXPECT_EQ(laid.devices.size(), 3u);
  EXPECT_EQ(laid.slots, 8);
  EXPECT_EQ(laid.nics, 8);
  EXPECT_EQ(wiring.vertices.size(), 6u);  // three devices, the host, its memory, the switch
}

// A device's way leads over its own PCIe and into the memory, whose bandwidth both directions
// share.
TEST(Node, a_host_has_a_memory_that_devices_copy_to) {
  const Cluster cluster = test::cluster_of(
      "{node: {device: {flops: {bf16: 1 TFLOP/s}, host_link: {bandwidth: 25 GB/s, latency: 1 us}}, "
      "devices: 2, host: {memory_bandwidth: 20 GB/s}}}");
  const auto route = host_route(cluster.topology, 1);
  ASSERT_TRUE(route);
  EXPECT_EQ(route->links.size(), 2u);
  EXPECT_EQ(route->latency, microseconds(1));
  EXPECT_DOUBLE_EQ(route->bottleneck.bytes_per_s, 20e9);
  EXPECT_EQ(cluster.topology.links()[route->links.back()].sharing, Sharing::shared);
}

// A law of every node in the catalogue whose interconnect joins each two devices.
TEST(Node, devices_talk_over_what_joins_them_however_late_it_is) {
  const config::Catalogue catalogue;
  int joined = 0;
  for (const std::string& name : catalogue.names("nodes")) {
    NodeType type = node_of(name);
    if (type.shape->name != "nvswitch" && type.shape->name != "full-mesh") continue;
    ++joined;
    type.link.latency = microseconds(50);
    Wiring wiring;
    wire_node(wiring, type, 0, type.devices);
    const Topology topology(wiring);
    for (int other = 1; other < type.devices; ++other)
      for (const LinkId link : topology.route(0, other).links)
        EXPECT_FALSE(topology.links()[link].of_host) << name << ", device " << other;
  }
  EXPECT_GT(joined, 10);
}

}  // namespace
}  // namespace pipewright
