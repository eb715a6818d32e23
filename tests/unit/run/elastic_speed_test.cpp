#include "run/elastic_speed.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace pipewright::test {
namespace {

/// Two stages of two tensor ranks, four replicas: rank 0 has devices 0 to 7, rank 1 8 to 15. A node
/// has two devices: one replica of one stage.
Grid grid() {
  Grid grid{std::vector<Mesh>(2, {.tensor = 2, .data = 4})};
  for (size_t rank = 0; rank < 2; ++rank) {
    grid.meshes[rank].devices.resize(8);
    std::iota(grid.meshes[rank].devices.begin(), grid.meshes[rank].devices.end(),
              static_cast<int32_t>(8 * rank));
  }
  return grid;
}

double speed(Elasticity elasticity, const std::set<int>& missing) {
  std::vector<int64_t> node_of(16);
  for (size_t device = 0; device < 16; ++device) node_of[device] = static_cast<int64_t>(device / 2);
  return ElasticSpeed(grid(), node_of, elasticity).without(missing);
}

TEST(ElasticSpeed, is_full_with_all_nodes) {
  for (const Elasticity one :
       {Elasticity::none, Elasticity::replicas, Elasticity::stages, Elasticity::nodes})
    EXPECT_EQ(speed(one, {}), 1);
}

// Nodes 0 and 5 are replica 0 of the first stage and replica 1 of the second.
TEST(ElasticSpeed, loses_what_each_way_loses) {
  EXPECT_EQ(speed(Elasticity::none, {0}), 0);
  EXPECT_EQ(speed(Elasticity::replicas, {0, 5}), 2.0 / 4);
  EXPECT_EQ(speed(Elasticity::stages, {0, 5}), 3.0 / 4);
  EXPECT_EQ(speed(Elasticity::nodes, {0, 5}), 6.0 / 8);
}

TEST(ElasticSpeed, of_a_stage_without_replicas_is_none) {
  const std::set<int> first_stage{0, 1, 2, 3};
  EXPECT_EQ(speed(Elasticity::replicas, first_stage), 0);
  EXPECT_EQ(speed(Elasticity::stages, first_stage), 0);
  EXPECT_EQ(speed(Elasticity::nodes, first_stage), 0.5);
  EXPECT_EQ(speed(Elasticity::nodes, {0, 1, 2, 3, 4, 5, 6}), 0);  // a replica needs two nodes
}

// Whatever is missing: replicas lose most, stages lose at least what nodes lose.
TEST(ElasticSpeed, ways_are_ordered) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::set<int> missing;
    for (int node = 0; node < 8; ++node)
      if (bits >> node & 1) missing.insert(node);
    EXPECT_LE(speed(Elasticity::replicas, missing), speed(Elasticity::stages, missing));
    if (speed(Elasticity::nodes, missing) > 0) {
      EXPECT_LE(speed(Elasticity::stages, missing), speed(Elasticity::nodes, missing));
    }
  }
}

}  // namespace
}  // namespace pipewright::test
