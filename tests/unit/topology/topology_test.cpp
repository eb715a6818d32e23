// Small networks laid by hand, whose routes can be read off.
#include "topology/topology.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace pipewright {
namespace {

LinkType link(Time latency, double gigabytes_per_s) {
  return {.bandwidth = {gigabytes_per_s * 1e9}, .latency = latency};
}

std::string message_of(const Topology& topology, int from, int to) {
  try {
    topology.route(from, to);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "a route";
}

TEST(Topology, a_route_adds_latencies_and_takes_the_least_bandwidth) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  const VertexId center = wiring.add(VertexKind::leaf, fabric, 0);
  wiring.connect(a, center, link(microseconds(1), 30));
  wiring.connect(center, b, link(microseconds(2), 20));
  const Topology topology(wiring);
  const Route route = topology.route(0, 1);
  EXPECT_EQ(route.links, (std::vector<LinkId>{0, 2}));
  EXPECT_EQ(route.latency, microseconds(3));
  EXPECT_DOUBLE_EQ(route.bottleneck.bytes_per_s, 20e9);
  EXPECT_EQ(topology.route(1, 0).links, (std::vector<LinkId>{3, 1}));
}

TEST(Topology, the_two_directions_of_a_link_may_differ) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  wiring.connect(a, b, link(microseconds(1), 30), link(microseconds(5), 10));
  const Topology topology(wiring);
  EXPECT_EQ(topology.route(0, 1).latency, microseconds(1));
  EXPECT_EQ(topology.route(1, 0).latency, microseconds(5));
}

TEST(Topology, latency_decides_before_the_number_of_links) {
  // Direct link: 5 us. Over the switch of the node: 2 + 2 us, two links.
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0);
  const VertexId plane = wiring.add(VertexKind::node_switch, 0, 0);
  wiring.connect(a, b, link(microseconds(5), 100));
  wiring.connect(a, plane, link(microseconds(2), 10));
  wiring.connect(b, plane, link(microseconds(2), 10));
  EXPECT_EQ(Topology(wiring).route(0, 1).links.size(), 2u);
}

TEST(Topology, devices_that_links_join_meet_over_these_whatever_a_host_takes) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0);
  const VertexId plane = wiring.add(VertexKind::node_switch, 0, 0);
  const VertexId host = wiring.add(VertexKind::host, 0, 0);
  for (const VertexId device : {a, b}) {
    wiring.connect(device, host, link(microseconds(1), 50));
    wiring.connect(device, plane, link(microseconds(9), 450));
  }
  const Topology topology(wiring);
  EXPECT_EQ(topology.route(0, 1).latency, microseconds(18));
  EXPECT_DOUBLE_EQ(topology.route(0, 1).bottleneck.bytes_per_s, 450e9);
}

TEST(Topology, switches_of_pcie_come_after_other_links) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0);
  const VertexId plx = wiring.add(VertexKind::node_switch, 0, 0);
  LinkType pcie = link(microseconds(1), 25);
  pcie.kind = LinkKind::pcie;
  wiring.connect(a, plx, pcie);
  wiring.connect(plx, b, pcie);
  EXPECT_DOUBLE_EQ(Topology(wiring).route(0, 1).bottleneck.bytes_per_s, 25e9);
  wiring.connect(a, b, link(microseconds(5), 100));
  EXPECT_DOUBLE_EQ(Topology(wiring).route(0, 1).bottleneck.bytes_per_s, 100e9);
}

TEST(Topology, at_equal_latency_fewer_links_win_and_then_lower_numbers) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0);
  const VertexId plane = wiring.add(VertexKind::node_switch, 0, 0);
  wiring.connect(a, plane, link(microseconds(2), 10));  // links 0, 1
  wiring.connect(b, plane, link(microseconds(2), 10));  // 2, 3
  wiring.connect(a, b, link(microseconds(4), 100));     // 4, 5
  wiring.connect(b, a, link(microseconds(4), 100));     // 6 is from b to a, 7 back
  const Topology topology(wiring);
  EXPECT_EQ(topology.route(0, 1).links, (std::vector<LinkId>{4}));
  EXPECT_EQ(topology.route(1, 0).links, (std::vector<LinkId>{5}));
}

// Two switches side by side between two nodes of one NIC, and from one of them a longer way too.
TEST(Topology, routes_of_equal_cost_are_all_told_the_usual_first) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  const VertexId in = wiring.add(VertexKind::leaf, fabric, 0);
  const VertexId out = wiring.add(VertexKind::leaf, fabric, 1);
  wiring.connect(a, in, link(microseconds(1), 10));  // 0, 1
  for (size_t spine = 0; spine < 3; ++spine) {       // 2 to 13
    const VertexId middle = wiring.add(VertexKind::spine, fabric, spine);
    wiring.connect(in, middle, link(microseconds(spine == 1 ? 2 : 1), 10));
    wiring.connect(middle, out, link(microseconds(1), 10));
  }
  wiring.connect(out, b, link(microseconds(1), 10));  // 14, 15
  const Topology topology(wiring);
  const std::vector<Route> routes = topology.equal_cost_routes(0, 1);
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(routes[0].links, topology.route(0, 1).links);
  EXPECT_EQ(routes[0].links, (std::vector<LinkId>{0, 2, 4, 14}));
  EXPECT_EQ(routes[1].links, (std::vector<LinkId>{0, 10, 12, 14}));
  EXPECT_EQ(routes[1].latency, microseconds(4));
  EXPECT_EQ(topology.equal_cost_routes(0, 1, 1).size(), 1u);
  EXPECT_EQ(topology.equal_cost_routes(1, 0)[0].links, topology.route(1, 0).links);
  EXPECT_EQ(topology.equal_cost_routes(1, 0).size(), 2u);
}

// Two NICs in each node, joined one to one: either way is as good.
TEST(Topology, nics_may_be_of_equal_cost) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  for (size_t rail = 0; rail < 2; ++rail) {
    const VertexId out = wiring.add(VertexKind::nic, 0, rail),
                   in = wiring.add(VertexKind::nic, 1, rail);
    wiring.connect(a, out, link(microseconds(1), 10));
    wiring.connect(out, in, link(microseconds(1), 10));
    wiring.connect(in, b, link(microseconds(1), 10));
  }
  const std::vector<Route> routes = Topology(wiring).equal_cost_routes(0, 1);
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(routes[0].links, (std::vector<LinkId>{0, 2, 4}));
  EXPECT_EQ(routes[1].links, (std::vector<LinkId>{6, 8, 10}));
}

TEST(Topology, devices_do_not_forward) {
  // 0 - 1 - 2 in one node: 1 is a device, so 0 and 2 have no way to each other.
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0), c = wiring.add_device(0);
  wiring.connect(a, b, link({}, 10));
  wiring.connect(b, c, link({}, 10));
  const Topology topology(wiring);
  EXPECT_EQ(topology.route(0, 1).links.size(), 1u);
  EXPECT_EQ(message_of(topology, 0, 2), "no route from device 0 to device 2");
}

TEST(Topology, a_device_does_not_leave_its_node_through_another_device) {
  // Only device 1 of node 0 has a NIC; device 0 cannot borrow it.
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0), c = wiring.add_device(1);
  const VertexId nic = wiring.add(VertexKind::nic, 0, 0);
  const VertexId leaf = wiring.add(VertexKind::leaf, fabric, 0);
  wiring.connect(a, b, link({}, 10));
  wiring.connect(b, nic, link({}, 10));
  wiring.connect(nic, leaf, link({}, 10));
  wiring.connect(c, leaf, link({}, 10));
  const Topology topology(wiring);
  EXPECT_EQ(topology.route(1, 2).links.size(), 3u);
  EXPECT_EQ(message_of(topology, 0, 2), "no route from device 0 to device 2");
}

TEST(Topology, the_better_of_two_nics_is_taken) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  const VertexId slow = wiring.add(VertexKind::nic, 0, 0), fast = wiring.add(VertexKind::nic, 0, 1);
  const VertexId leaf = wiring.add(VertexKind::leaf, fabric, 0);
  const VertexId spine = wiring.add(VertexKind::spine, fabric, 0);
  const VertexId other_leaf = wiring.add(VertexKind::leaf, fabric, 1);
  wiring.connect(a, slow, link(microseconds(1), 10));
  wiring.connect(a, fast, link(microseconds(1), 10));
  wiring.connect(slow, leaf, link(microseconds(1), 10));
  wiring.connect(fast, other_leaf, link(microseconds(1), 10));
  wiring.connect(leaf, spine, link(microseconds(1), 10));
  wiring.connect(spine, other_leaf, link(microseconds(1), 10));
  wiring.connect(other_leaf, b, link(microseconds(1), 10));
  const Topology topology(wiring);
  EXPECT_EQ(topology.route(0, 1).latency, microseconds(3));  // over `fast`: 3 links, not 5
  EXPECT_EQ(topology.route(1, 0).latency, microseconds(3));
}

TEST(Topology, a_device_reaches_itself_at_once) {
  Wiring wiring;
  wiring.add_device(0);
  EXPECT_TRUE(Topology(wiring).route(0, 0).links.empty());
}

TEST(Topology, links_are_named_by_their_ends) {
  Wiring wiring;
  const VertexId a = wiring.add_device(2);
  const VertexId nic = wiring.add(VertexKind::nic, 2, 1);
  const VertexId leaf = wiring.add(VertexKind::leaf, fabric, 4);
  wiring.connect(a, nic, {});
  wiring.connect(nic, leaf, {});
  const Topology topology(wiring);
  EXPECT_EQ(topology.name(0), "device 0 > node 2 nic 1");
  EXPECT_EQ(topology.name(3), "leaf 4 > node 2 nic 1");
}

}  // namespace
}  // namespace pipewright
