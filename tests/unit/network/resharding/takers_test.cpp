#include "network/resharding/takers.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"

namespace pipewright::resharding {
namespace {

/// Hosts of four GPUs.
const Topology& quads() {
  static const Topology topology =
      test::cluster_of("{node: p3.8xlarge, nodes: 3, fabric: {kind: star, link: eth-10}}").topology;
  return topology;
}

// Device 5 sends to two devices on each of three hosts.
TEST(ReshardingTakers, stand_host_by_host_behind_their_sender) {
  const Meshes meshes{.from = {5}, .to = {0, 8, 6, 1, 9, 7}};
  const Piece piece{.share = 1, .holders = {0}, .takers = {0, 1, 2, 3, 4, 5}};
  const std::vector<int> takers = takers_by_host(quads(), meshes, piece, 5);
  EXPECT_EQ(takers, (std::vector<int>{6, 7, 0, 1, 8, 9}));
  EXPECT_EQ(gathering_groups(quads(), takers, Strategy::local_all_gather),
            (std::vector<std::vector<int>>{{6, 7}, {0, 1}, {8, 9}}));
  EXPECT_EQ(gathering_groups(quads(), takers, Strategy::global_all_gather),
            std::vector<std::vector<int>>{takers});
}

}  // namespace
}  // namespace pipewright::resharding
