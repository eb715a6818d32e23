#include "topology/parts.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Parts, vertices_and_links_belong_to_their_node_or_to_the_fabric) {
  // Node 0: device a and its nic. Node 1: device b. A leaf joins nic and b.
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  const VertexId nic = wiring.add(VertexKind::nic, 0, 0);
  const VertexId leaf = wiring.add(VertexKind::leaf, fabric, 0);
  wiring.connect(a, nic, {});     // 0, 1
  wiring.connect(nic, leaf, {});  // 2, 3
  wiring.connect(leaf, b, {});    // 4, 5
  const Parts parts(wiring);

  ASSERT_EQ(parts.members.size(), 3u);
  EXPECT_EQ(parts.members[parts.index(0)], (std::vector<VertexId>{a, nic}));
  EXPECT_EQ(parts.members[parts.index(1)], std::vector<VertexId>{b});
  EXPECT_EQ(parts.members[parts.index(fabric)], std::vector<VertexId>{leaf});
  EXPECT_EQ(parts.place[nic], 1u);
  EXPECT_EQ(parts.inner[parts.index(0)], (std::vector<LinkId>{0, 1}));
  EXPECT_EQ(parts.exits[parts.index(0)], std::vector<LinkId>{2});
  EXPECT_EQ(parts.exits[parts.index(1)], std::vector<LinkId>{5});
  EXPECT_EQ(parts.exits[parts.index(fabric)], (std::vector<LinkId>{3, 4}));
}

TEST(Parts, nodes_are_of_one_form_where_the_same_stands_in_the_same_places) {
  Wiring wiring;
  const LinkType quick{.latency = microseconds(1)}, slow{.latency = microseconds(2)};
  const auto add_node = [&](NodeId node, const LinkType& link, int devices) {
    const VertexId middle = wiring.add(VertexKind::node_switch, node, 0);
    for (int k = 0; k < devices; ++k) wiring.connect(middle, wiring.add_device(node), link);
  };
  add_node(0, quick, 2);
  add_node(1, slow, 2);
  add_node(2, quick, 3);
  add_node(3, quick, 2);
  const Parts parts(wiring);
  EXPECT_EQ(parts.form, (std::vector<size_t>{0, 1, 2, 0, 3}));
  EXPECT_EQ(parts.first_of_form, (std::vector<size_t>{0, 1, 2, 4}));
}

}  // namespace
}  // namespace pipewright
