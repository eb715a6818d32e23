// Groups of racks, some of whose devices do not divide by the group.
#include "run/straddling_groups.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "config/catalogue.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright::test {
namespace {

/// Two racks of 12 devices, `used` of them in all.
Topology racks(int used) {
  const std::string text =
      "node: {device: gb200, devices: 12, interconnect: {kind: nvswitch, link: nvlink5}}\n"
      "nodes: 2\nfabric: {kind: fat-tree, link: ndr, nics: 12}\ndevices: " +
      std::to_string(used) + "\n";
  return read_cluster(config::parse(text, "c.yaml"), config::Catalogue()).topology;
}

std::string note(int used, int tensor, int expert) {
  Mesh mesh{.tensor = tensor, .data = used / tensor, .expert = expert};
  mesh.devices.resize(static_cast<size_t>(used));
  std::iota(mesh.devices.begin(), mesh.devices.end(), 0);
  Grid grid;
  grid.meshes = {mesh};
  return where_groups_straddle(grid, racks(used));
}

TEST(StraddlingGroups, that_would_fit_on_a_rack_are_named_with_what_fits) {
  // Eight of 12: the second group has four devices of each rack.
  const std::string said = note(24, 1, 8);
  EXPECT_NE(said.find("expert groups of 8 devices"), std::string::npos) << said;
  EXPECT_NE(said.find("'cluster.devices: 16' uses 8 of each node"), std::string::npos) << said;
  EXPECT_NE(note(24, 8, 1).find("tensor groups of 8"), std::string::npos);
}

TEST(StraddlingGroups, are_none_where_all_fit_or_none_does) {
  EXPECT_EQ(note(16, 1, 8), "");   // eight of each rack
  EXPECT_EQ(note(24, 4, 12), "");  // a rack each
  EXPECT_EQ(note(24, 1, 24), "");  // too many for a rack
  EXPECT_EQ(note(24, 1, 1), "");
}

}  // namespace
}  // namespace pipewright::test
