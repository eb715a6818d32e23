// Four devices on a switch: a link up and one down for each.
#include "engine/link_kinds.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"
#include "program/program.hpp"

namespace pipewright::test {
namespace {

Topology four_linked_devices() {
  return cluster_of("{devices: 4, link: {latency: 1 ms, bandwidth: 1 GB/s}}").topology;
}

/// One message for each pair; a list of pairs is one footprint.
Footprints messages(const Topology& topology,
                    const std::vector<std::vector<std::pair<int, int>>>& all) {
  Footprints footprints;
  for (const auto& instances : all) {
    MirroredFootprint one;
    for (const auto& [from, to] : instances)
      one.shares.push_back(message_footprint(topology, from, to).shares);
    footprints.push_back(std::make_shared<const MirroredFootprint>(std::move(one)));
  }
  return footprints;
}

LinkId up(const Topology& topology, int device) {
  return topology.links_of(topology.vertex(device)).front();
}

TEST(LinkKinds, links_loaded_alike_are_of_one_kind) {
  const Topology topology = four_linked_devices();
  const LinkKinds kinds = link_kinds(topology, messages(topology, {{{0, 1}, {2, 3}}}));
  EXPECT_EQ(kinds.of(up(topology, 0)), kinds.of(up(topology, 2)));
  EXPECT_EQ(kinds.kinds.size(), 1u);  // the way up is loaded as the way down is
}

TEST(LinkKinds, of_links_that_carry_nothing_there_is_none) {
  const Topology topology = four_linked_devices();
  const LinkKinds kinds = link_kinds(topology, messages(topology, {{{0, 1}}}));
  EXPECT_NE(kinds.of(up(topology, 0)), none);
  EXPECT_EQ(kinds.of(up(topology, 1)), none);
}

TEST(LinkKinds, what_crosses_a_link_twice_makes_another_kind) {
  const Topology topology = four_linked_devices();
  const LinkKinds kinds = link_kinds(topology, messages(topology, {{{0, 1}, {0, 2}, {3, 1}}}));
  const AlikeLinks& twice = kinds.kinds[kinds.of(up(topology, 0))];
  ASSERT_EQ(twice.loads.size(), 1u);
  EXPECT_EQ(twice.loads.front().times, 2);
  EXPECT_NE(kinds.of(up(topology, 0)), kinds.of(up(topology, 3)));
}

/// A share of a half and a whole one, in either order: the sums are equal, and only nearly so as
/// doubles.
TEST(LinkKinds, links_of_a_kind_whose_loads_come_in_another_order_are_of_two_classes) {
  const Topology topology = four_linked_devices();
  const LinkId a = up(topology, 0), b = up(topology, 1);
  MirroredFootprint one;
  one.shares = {{{a, 0.5}, {b, 1}}, {{a, 1}, {b, 0.5}}};
  const LinkKinds kinds =
      link_kinds(topology, {std::make_shared<const MirroredFootprint>(std::move(one))});
  EXPECT_EQ(kinds.of(a), kinds.of(b));
  EXPECT_NE(kinds.classes->of[a], kinds.classes->of[b]);
}

}  // namespace
}  // namespace pipewright::test
