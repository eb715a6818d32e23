#include "topology/searches.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// Devices a and b of one node, joined twice over two switches, and a nic that only b has.
struct Diamond {
  Wiring wiring;
  VertexId a, b, nic;

  Diamond() : a(wiring.add_device(0)), b(wiring.add_device(0)), nic() {
    const VertexId left = wiring.add(VertexKind::node_switch, 0, 0);
    const VertexId right = wiring.add(VertexKind::node_switch, 0, 1);
    nic = wiring.add(VertexKind::nic, 0, 0);
    const LinkType link{.latency = microseconds(1)};
    wiring.connect(a, left, link);   // 0, 1
    wiring.connect(left, b, link);   // 2, 3
    wiring.connect(a, right, link);  // 4, 5
    wiring.connect(right, b, link);  // 6, 7
    wiring.connect(b, nic, link);    // 8, 9
  }
};

TEST(Searches, of_equal_paths_the_one_of_lower_links_is_first) {
  const Diamond diamond;
  const Searches searches(diamond.wiring);
  const Searches::Search from = searches.in_node(diamond.a, SearchWay::from_source);
  EXPECT_EQ(searches.cost(from, diamond.b),
            (RouteCost{.latency_ps = microseconds(2).ps, .links = 2}));
  EXPECT_EQ(searches.path(from, diamond.b), (std::vector<LinkId>{0, 2}));
  EXPECT_EQ(searches.paths(from, diamond.b, 8), (Paths{{0, 2}, {4, 6}}));
  EXPECT_EQ(searches.paths(from, diamond.b, 1), (Paths{{0, 2}}));
}

TEST(Searches, a_path_to_the_source_runs_as_bytes_do) {
  const Diamond diamond;
  const Searches searches(diamond.wiring);
  const Searches::Search to = searches.in_node(diamond.a, SearchWay::to_source);
  EXPECT_EQ(searches.path(to, diamond.b), (std::vector<LinkId>{3, 1}));
}

TEST(Searches, devices_do_not_forward) {
  const Diamond diamond;
  const Searches searches(diamond.wiring);
  const Searches::Search from = searches.in_node(diamond.a, SearchWay::from_source);
  EXPECT_FALSE(searches.cost(from, diamond.nic).reachable());
}

TEST(Searches, in_nodes_that_are_alike_a_path_is_over_the_links_of_its_own_node) {
  Wiring wiring;
  const LinkType link{.latency = microseconds(1)}, slow{.latency = microseconds(5)};
  for (const NodeId node : {0u, 1u, 2u}) {
    const VertexId a = wiring.add_device(node), b = wiring.add_device(node);
    const VertexId middle = wiring.add(VertexKind::node_switch, node, 0);
    wiring.connect(a, middle, node == 2 ? slow : link);
    wiring.connect(middle, b, link);
  }
  const Searches searches(wiring);
  const auto from = [&](int device) {
    return searches.in_node(wiring.devices[static_cast<size_t>(device)], SearchWay::from_source);
  };
  EXPECT_EQ(from(0).cost, from(2).cost);
  EXPECT_EQ(searches.path(from(2), wiring.devices[3]), (std::vector<LinkId>{4, 6}));
  EXPECT_EQ(searches.cost(from(4), wiring.devices[5]),
            (RouteCost{.latency_ps = microseconds(6).ps, .links = 2}));
}

TEST(Searches, joined_paths_are_every_first_with_every_second) {
  EXPECT_EQ(joined({{1}, {2}}, {{3}, {4}}, 8), (Paths{{1, 3}, {1, 4}, {2, 3}, {2, 4}}));
  EXPECT_EQ(joined({{1}, {2}}, {{3}, {4}}, 3).size(), 3u);
}

}  // namespace
}  // namespace pipewright
