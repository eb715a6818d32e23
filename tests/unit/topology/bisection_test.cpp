// What the halves of known shapes have between them, counted by hand.
#include "topology/bisection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "clusters.hpp"

namespace pipewright {
namespace {

using test::cluster_of;

double gigabytes(const std::string& yaml) {
  return bisection(cluster_of(yaml).topology).bytes_per_s * 1e-9;
}

std::string nodes(int count, std::string_view fabric) {
  return fmt::format(
      "{{node: {{device: {{flops: {{fp32: 1 TFLOP/s}}}}}}, nodes: {}, fabric: {{{}, link: "
      "{{latency: 1 us, bandwidth: 10 GB/s}}}}}}",
      count, fabric);
}

TEST(Bisection, of_one_switch_is_half_the_ports) {
  EXPECT_DOUBLE_EQ(gigabytes("{devices: 8, link: {latency: 1 us, bandwidth: 25 GB/s}}"), 4 * 25);
}

// Five devices: two send, three could receive.
TEST(Bisection, of_an_odd_number_is_what_the_smaller_half_sends) {
  EXPECT_DOUBLE_EQ(gigabytes("{devices: 5, link: {latency: 1 us, bandwidth: 25 GB/s}}"), 2 * 25);
}

TEST(Bisection, of_a_full_fat_tree_is_half_the_hosts) {
  EXPECT_DOUBLE_EQ(gigabytes(nodes(8, "kind: fat-tree, switch_ports: 4")), 4 * 10);
}

// 3 : 1 on four ports: three hosts a leaf and an uplink of 10 GB/s; two of the four leaves send.
TEST(Bisection, of_an_oversubscribed_fat_tree_is_that_of_its_uplinks) {
  EXPECT_DOUBLE_EQ(gigabytes(nodes(12, "kind: fat-tree, switch_ports: 4, oversubscription: 3")),
                   2 * 10);
}

// 2 k^(n-1) links cross the middle of the first ring; k^(n-1) where that ring has only two places.
TEST(Bisection, of_a_torus_is_two_links_for_each_place_of_a_plane) {
  EXPECT_DOUBLE_EQ(gigabytes(nodes(8, "kind: torus, dims: [8]")), 2 * 10);
  EXPECT_DOUBLE_EQ(gigabytes(nodes(16, "kind: torus, dims: [4, 4]")), 2 * 4 * 10);
  EXPECT_DOUBLE_EQ(gigabytes(nodes(64, "kind: torus, dims: [4, 4, 4]")), 2 * 16 * 10);
  EXPECT_DOUBLE_EQ(gigabytes(nodes(8, "kind: torus, dims: [2, 2, 2]")), 4 * 10);
}

// Four groups of three routers with one global link each: every two groups have one link, and two
// groups face two. With two global links each there are two links for every two groups, but the six
// nodes of a half send no more than six.
TEST(Bisection, of_a_dragonfly_is_the_links_between_the_groups_of_the_halves) {
  constexpr auto shape = "kind: dragonfly, routers: 3, nodes_per_router: 1, global_links: {}";
  EXPECT_DOUBLE_EQ(gigabytes(nodes(12, fmt::format(shape, 1))), 4 * 10);
  EXPECT_DOUBLE_EQ(gigabytes(nodes(12, fmt::format(shape, 2))), 6 * 10);
}

// Three devices, a link of its own for every two: 0 sends to 1 and to 2. Devices do not forward.
TEST(Bisection, of_a_matrix_is_the_links_that_cross) {
  EXPECT_DOUBLE_EQ(
      gigabytes("{devices: 3, bandwidth_matrix: [[0, 1 GB/s, 2 GB/s], [9 GB/s, 0, 9 GB/s], "
                "[9 GB/s, 9 GB/s, 0]]}"),
      3);
}

TEST(Bisection, is_infinite_where_a_way_is_unbounded) {
  EXPECT_TRUE(std::isinf(gigabytes("{devices: 4, link: {latency: 1 us}}")));
}

TEST(Bisection, of_one_device_is_nothing) { EXPECT_EQ(gigabytes("{devices: 1}"), 0); }

// Four 100 Gb/s NICs a node, one node sends: 4 * 12.5. Each NIC serves two devices, and neither
// sends to the other through it.
TEST(Bisection, of_two_nodes_is_the_nics_of_one) {
  EXPECT_DOUBLE_EQ(
      gigabytes("{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: eth-100, nics: 4}}"),
      4 * 12.5);
}

}  // namespace
}  // namespace pipewright
