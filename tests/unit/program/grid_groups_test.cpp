#include "program/grid_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace pipewright::test {
namespace {

using testing::ElementsAre;

/// Two tensor ranks of four replicas, whose devices are 0 to 7.
Mesh mesh_of(int expert, int expert_tensor) {
  Mesh mesh{.tensor = 2, .data = 4, .expert = expert, .expert_tensor = expert_tensor};
  mesh.devices.resize(8);
  std::iota(mesh.devices.begin(), mesh.devices.end(), 0);
  return mesh;
}

std::vector<std::vector<int32_t>> groups(const Mesh& mesh, Axis axis) {
  std::vector<std::vector<int32_t>> devices;
  groups_along(mesh, axis, mesh.tensor, all_replicas(mesh), devices);
  return devices;
}

TEST(GridGroups, whole_experts_are_exchanged_between_neighbours) {
  const Mesh mesh = mesh_of(4, 1);
  EXPECT_THAT(groups(mesh, Axis::expert),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(groups(mesh, Axis::expert_copies), ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5),
                                                             ElementsAre(2, 6), ElementsAre(3, 7)));
}

TEST(GridGroups, experts_that_are_cut_are_exchanged_between_the_same_parts) {
  const Mesh mesh = mesh_of(4, 2);
  EXPECT_THAT(groups(mesh, Axis::expert), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3),
                                                      ElementsAre(4, 6), ElementsAre(5, 7)));
  EXPECT_THAT(groups(mesh, Axis::expert_tensor), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3),
                                                             ElementsAre(4, 5), ElementsAre(6, 7)));
  EXPECT_THAT(groups(mesh, Axis::expert_copies), ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5),
                                                             ElementsAre(2, 6), ElementsAre(3, 7)));
}

// Two copies of the weights, each of two replicas with two tensor ranks, have all experts each.
TEST(GridGroups, experts_are_cut_within_the_replicas_that_share_weights) {
  Mesh mesh = mesh_of(2, 1);
  mesh.shard = 2;
  EXPECT_THAT(groups(mesh, Axis::expert_copies), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3),
                                                             ElementsAre(4, 6), ElementsAre(5, 7)));
}

// Eight replicas are two of data, each of four devices that share its tokens.
TEST(GridGroups, rings_go_across_groups_that_exchange_heads) {
  Mesh mesh{.context = 4, .data = 2, .context_heads = 2};
  mesh.devices = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(groups(mesh, Axis::context_heads), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3),
                                                             ElementsAre(4, 5), ElementsAre(6, 7)));
  EXPECT_THAT(groups(mesh, Axis::context_ring), ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3),
                                                            ElementsAre(4, 6), ElementsAre(5, 7)));
}

}  // namespace
}  // namespace pipewright::test
