#include "topology/crossings.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// Two nodes of a device and two NICs each, all of which one switch joins. A device reaches its
/// first NIC in 1 us and its second in `second`.
struct TwoRails {
  Wiring wiring;
  VertexId a, b, hub;

  explicit TwoRails(Time second)
      : a(wiring.add_device(0)),
        b(wiring.add_device(1)),
        hub(wiring.add(VertexKind::leaf, fabric, 0)) {
    add_nic(a, 0, microseconds(1));  // 0 to 3
    add_nic(a, 0, second);           // 4 to 7
    add_nic(b, 1, microseconds(1));  // 8 to 11
    add_nic(b, 1, second);           // 12 to 15
  }

  std::vector<Crossing> crossings() const {
    return cheapest_crossings(wiring, Searches(wiring), a, b);
  }

 private:
  void add_nic(VertexId device, NodeId node, Time latency) {
    const VertexId nic = wiring.add(VertexKind::node_switch, node, 0);
    wiring.connect(device, nic, {.latency = latency});
    wiring.connect(nic, hub, {.latency = microseconds(1)});
  }
};

TEST(Crossings, the_nearest_doors_are_taken) {
  EXPECT_EQ(TwoRails(microseconds(2)).crossings(), (std::vector<Crossing>{{2, 11}}));
}

TEST(Crossings, of_equal_doors_all_pairs_are_told) {
  EXPECT_EQ(TwoRails(microseconds(1)).crossings(),
            (std::vector<Crossing>{{2, 11}, {2, 15}, {6, 11}, {6, 15}}));
}

TEST(Crossings, a_link_between_the_nodes_counts_once) {
  TwoRails two(microseconds(1));
  const LinkId direct = static_cast<LinkId>(two.wiring.links.size());
  two.wiring.connect(two.a, two.b, {.latency = microseconds(4)});
  // Over the fabric: 4 us as well, but 4 links.
  EXPECT_EQ(two.crossings(), (std::vector<Crossing>{{direct, direct}}));
}

TEST(Crossings, a_dearer_link_between_the_nodes_is_not_taken) {
  TwoRails two(microseconds(2));
  two.wiring.connect(two.a, two.b, {.latency = microseconds(5)});
  EXPECT_EQ(two.crossings(), (std::vector<Crossing>{{2, 11}}));
}

TEST(Crossings, nodes_that_nothing_joins_have_none) {
  Wiring wiring;
  const VertexId a = wiring.add_device(0), b = wiring.add_device(1);
  EXPECT_TRUE(cheapest_crossings(wiring, Searches(wiring), a, b).empty());
}

}  // namespace
}  // namespace pipewright
