#include "topology/dealt_nics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "clusters.hpp"
#include "topology/topology.hpp"

namespace pipewright {
namespace {

/// Nodes of one switch on which `devices` devices and `nics` NICs hang, all as near.
struct OneSwitch {
  Wiring wiring;
  std::vector<VertexId> nics;

  OneSwitch(int devices, int nic_count) {
    const VertexId leaf = wiring.add(VertexKind::leaf, fabric, 0);
    const VertexId inner = wiring.add(VertexKind::node_switch, 0, 0);
    for (int i = 0; i < devices; ++i) wiring.connect(wiring.add_device(0), inner, {});
    for (int i = 0; i < nic_count; ++i) {
      nics.push_back(wiring.add(VertexKind::nic, 0, static_cast<size_t>(i)));
      wiring.connect(inner, nics.back(), {.latency = microseconds(1)});
      wiring.connect(nics.back(), leaf, {.latency = microseconds(1)});
    }
  }

  /// Returns the numbers of the NICs that a device takes.
  std::set<int> own(int device) const {
    const std::vector<VertexId> others =
        dealt_to_others(wiring, Searches(wiring), wiring.devices[static_cast<size_t>(device)]);
    std::set<int> numbers;
    for (size_t i = 0; i < nics.size(); ++i)
      if (std::ranges::find(others, nics[i]) == others.end()) numbers.insert(static_cast<int>(i));
    return numbers;
  }
};

// Law: k devices with k NICs that are equally near use k different ones, one each.
TEST(DealtNics, as_many_devices_as_nics_take_one_each) {
  for (const int k : {1, 2, 3, 4, 8}) {
    const OneSwitch node(k, k);
    for (int i = 0; i < k; ++i) EXPECT_EQ(node.own(i), std::set{i});
  }
}

TEST(DealtNics, of_more_nics_each_takes_its_part) {
  EXPECT_EQ(OneSwitch(2, 4).own(0), (std::set{0, 1}));
  EXPECT_EQ(OneSwitch(2, 4).own(1), (std::set{2, 3}));
  EXPECT_EQ(OneSwitch(1, 2).own(0), (std::set{0, 1}));
}

TEST(DealtNics, more_devices_take_turns) {
  for (int i = 0; i < 8; ++i) EXPECT_EQ(OneSwitch(8, 2).own(i), std::set{i % 2});
}

/// Two nodes of two devices and two NICs on one PCIe switch, each rail on a leaf.
constexpr std::string_view pairs = R"(
nodes: 2
node:
  device: {flops: {fp32: 1 TFLOP/s}}
  devices: 2
  interconnect:
    kind: graph
    links:
      - {between: [device 0, switch 0], link: pcie4}
      - {between: [device 1, switch 0], link: pcie4}
      - {between: [switch 0, nic 0], link: pcie4}
      - {between: [switch 0, nic 1], link: pcie4}
fabric: {kind: fat-tree, link: hdr, nics: 2, switch_ports: 2}
)";

/// Returns the NICs of a route: "node 0 nic 1".
std::vector<std::string> nics_of(const Topology& topology, int from, int to) {
  std::vector<std::string> nics;
  for (const LinkId link : topology.route(from, to).links) {
    const Vertex& end = topology.vertices()[topology.links()[link].to];
    if (end.kind == VertexKind::nic) nics.push_back(name(end));
  }
  return nics;
}

TEST(DealtNics, routes_go_over_the_own_nics_of_both_ends) {
  const Topology topology = test::cluster_of(pairs).topology;
  using Names = std::vector<std::string>;
  EXPECT_EQ(nics_of(topology, 0, 2), (Names{"node 0 nic 0", "node 1 nic 0"}));
  EXPECT_EQ(nics_of(topology, 1, 3), (Names{"node 0 nic 1", "node 1 nic 1"}));
  EXPECT_EQ(nics_of(topology, 0, 3), (Names{"node 0 nic 0", "node 1 nic 1"}));
}

// Each rail is a network of its own: device 0 gets to the other node's device 1 over the only NIC
// that its own NIC is joined to.
TEST(DealtNics, a_device_takes_another_nic_where_its_own_is_not_joined) {
  Wiring wiring;
  std::vector<VertexId> rails;
  for (size_t rail = 0; rail < 2; ++rail)
    rails.push_back(wiring.add(VertexKind::leaf, fabric, rail));
  for (NodeId node = 0; node < 2; ++node) {
    const VertexId inner = wiring.add(VertexKind::node_switch, node, 0);
    for (size_t i = 0; i < 2; ++i) {
      wiring.connect(wiring.add_device(node), inner, {});
      const VertexId nic = wiring.add(VertexKind::nic, node, i);
      wiring.connect(inner, nic, {});
      wiring.connect(nic, rails[i], {});
    }
  }
  const Topology topology(std::move(wiring));
  EXPECT_EQ(nics_of(topology, 1, 3).size(), 2u);
  EXPECT_EQ(nics_of(topology, 0, 3).size(), 2u);
}

}  // namespace
}  // namespace pipewright
