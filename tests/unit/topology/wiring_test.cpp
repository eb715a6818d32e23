#include "topology/wiring.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Wiring, devices_are_numbered_in_the_order_they_are_added) {
  Wiring wiring;
  wiring.add_device(0);
  wiring.add(VertexKind::host, 0, 0);
  const VertexId second = wiring.add_device(1);
  EXPECT_EQ(wiring.vertices[second].index, 1u);
  EXPECT_EQ(wiring.devices, (std::vector<VertexId>{0, 2}));
}

TEST(Wiring, links_come_in_pairs) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(0);
  wiring.connect(a, b, {.latency = microseconds(1)}, {.latency = microseconds(2)});
  EXPECT_EQ(wiring.links[0].from, a);
  EXPECT_EQ(wiring.links[opposite(0)].from, b);
  EXPECT_EQ(wiring.links[opposite(0)].latency, microseconds(2));
  EXPECT_EQ(opposite(opposite(0)), 0u);
}

TEST(Wiring, vertices_are_named_by_kind_and_node) {
  EXPECT_EQ(name(Vertex{VertexKind::device, 3, 25}), "device 25");
  EXPECT_EQ(name(Vertex{VertexKind::nic, 3, 1}), "node 3 nic 1");
  EXPECT_EQ(name(Vertex{VertexKind::spine, fabric, 2}), "spine 2");
}

}  // namespace
}  // namespace pipewright
