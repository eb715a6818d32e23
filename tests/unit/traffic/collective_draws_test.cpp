#include "traffic/collective_draws.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "clusters.hpp"

namespace pipewright {
namespace {

/// Two nodes of four devices, with four ways of 10 Gb/s between them.
Cluster two_nodes() {
  std::string links;
  for (int spine = 0; spine < 4; ++spine) {
    for (int node = 0; node < 2; ++node)
      links += "{between: [node " + std::to_string(node) + ", switch " + std::to_string(spine) +
               "], link: eth-10}, ";
  }
  return test::cluster_of(
      "{node: {device: {flops: {fp32: 1 TFLOP/s}}, devices: 4, interconnect: {kind: nvswitch, "
      "link: nvlink3}}, nodes: 2, fabric: {kind: graph, links: [" +
      links + "]}}");
}

constexpr int eight[] = {0, 1, 2, 3, 4, 5, 6, 7};

// Four rails on four ways, there and back: at most L on one way both there and back with the
// probability q(L)^2, where q is 24, 204, 252 and 256 of 256 for one to four. So the median of the
// slowdown is 2 (0.63) and its 95th percentile 3 (0.97).
TEST(CollectiveDraws, rails_collide_as_balls_in_boxes) {
  const Cluster cluster = two_nodes();
  const std::vector<double> drawn =
      slowdowns(cluster.topology, eight, {{.how = Spreading::How::hash}, 1000});
  EXPECT_NEAR(quantile(drawn, 0.5), 2, 1e-9);
  EXPECT_NEAR(quantile(drawn, 0.95), 3, 1e-9);
  EXPECT_NEAR(drawn.front(), 1, 1e-9);
}

TEST(CollectiveDraws, many_queue_pairs_come_near_even_spreading) {
  const Cluster cluster = two_nodes();
  const std::vector<double> drawn =
      slowdowns(cluster.topology, eight, {{.how = Spreading::How::hash, .queue_pairs = 256}, 20});
  EXPECT_GE(drawn.front(), 1 - 1e-9);
  EXPECT_LT(drawn.back(), 1.25);
}

TEST(CollectiveDraws, sprayed_rails_do_not_collide) {
  const Cluster cluster = two_nodes();
  for (const double one : slowdowns(cluster.topology, eight, {{.how = Spreading::How::all}, 3}))
    EXPECT_NEAR(one, 1, 1e-9);
}

// On a rail-optimised fat-tree every rail has a leaf of its own and one neighbour in each pod:
// there is nothing to meet, whatever way is drawn.
TEST(CollectiveDraws, rails_of_their_own_leaves_never_meet) {
  const Cluster cluster = test::cluster_of(
      "{node: {device: {flops: {fp32: 1 TFLOP/s}}, devices: 2, interconnect: {kind: nvswitch, "
      "link: nvlink3}}, nodes: 8, fabric: {kind: fat-tree, nics: 2, switch_ports: 8, spines: "
      "separate, link: hdr}}");
  std::vector<int> all(16);
  std::iota(all.begin(), all.end(), 0);
  for (const double one : slowdowns(cluster.topology, all, {{.how = Spreading::How::hash}, 20}))
    EXPECT_NEAR(one, 1, 1e-9);
}

}  // namespace
}  // namespace pipewright
