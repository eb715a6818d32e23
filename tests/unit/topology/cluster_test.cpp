#include <gtest/gtest.h>

#include "clusters.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::cluster_of;

std::string error_in(std::string_view yaml) {
  return test::error_of([&] { cluster_of(yaml); });
}

TEST(Cluster, a_catalogue_cluster_has_the_nodes_its_name_says) {
  const Cluster cluster = cluster_of("selene-96");
  EXPECT_EQ(cluster.name, "selene-96");
  EXPECT_EQ(cluster.nodes.size(), 96u);
  EXPECT_EQ(cluster.devices(), 768);
  EXPECT_EQ(cluster.device(767)->name, "a100-sxm-80g");
}

TEST(Cluster, devices_are_numbered_node_by_node) {
  const Cluster cluster = cluster_of("dgx-h100-32");
  for (int d = 0; d < cluster.devices(); ++d) {
    EXPECT_EQ(cluster.node_of[d], d / 8);
    EXPECT_EQ(cluster.topology.node(d), static_cast<NodeId>(d / 8));
  }
  EXPECT_EQ(cluster.nodes[5].first_device, 40);
}

TEST(Cluster, a_catalogue_cluster_may_be_changed) {
  const Cluster cluster = cluster_of("{base: selene-96, nodes: 4, devices: 16}");
  EXPECT_EQ(cluster.nodes.size(), 4u);
  EXPECT_EQ(cluster.devices(), 16);
  EXPECT_EQ(cluster.nodes[3].devices, 4);
}

TEST(Cluster, several_nodes_without_a_fabric_have_the_one_they_usually_have) {
  const Cluster cluster = cluster_of("{node: dgx-a100-80g, nodes: 2}");
  EXPECT_EQ(cluster.nodes[0].nics, 8);
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 8).bottleneck.bytes_per_s, 25e9);
}

TEST(Cluster, a_part_of_each_rack_has_a_part_of_its_nics) {
  const Cluster cluster = cluster_of("{node: gb200-nvl72, nodes: 2, devices: 128}");
  EXPECT_EQ(cluster.nodes[1].devices, 64);
  EXPECT_EQ(cluster.nodes[1].nics, 64);
  const Cluster uneven = cluster_of(
      "{groups: [{node: gb200-nvl72, nodes: 1}, {node: gb200-nvl72, nodes: 1, devices: 40}]}");
  EXPECT_EQ(uneven.devices(), 112);
  EXPECT_EQ(uneven.nodes[0].nics, 72);
  EXPECT_EQ(uneven.nodes[1].nics, 40);
}

TEST(Cluster, groups_mix_nodes_on_one_fabric) {
  const Cluster cluster = cluster_of(
      "{groups: [{node: p3.8xlarge, nodes: 8}, {node: p3.2xlarge, nodes: 32}],"
      " fabric: {kind: star, link: eth-10}}");
  EXPECT_EQ(cluster.devices(), 8 * 4 + 32);
  EXPECT_EQ(cluster.node_of[31], 7);
  EXPECT_EQ(cluster.node_of[32], 8);
  EXPECT_EQ(cluster.nodes[8].type, "p3.2xlarge");
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 63).bottleneck.bytes_per_s, 1.25e9);
}

TEST(Cluster, bare_devices_stand_for_themselves) {
  const Cluster cluster = cluster_of("{devices: 3, link: {latency: 0 s}}");
  EXPECT_EQ(cluster.nodes.size(), 3u);
  EXPECT_EQ(cluster.device(0), nullptr);
}

TEST(Cluster, bare_devices_may_be_described) {
  const Cluster cluster = cluster_of(
      "{devices: 4, device: {flops: {bf16: 312 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 "
      "TB/s}, link: {latency: 5 us, bandwidth: 25 GB/s}}");
  EXPECT_EQ(cluster.device(3)->memory, 80 * GiB);
}

TEST(Cluster, a_single_device_needs_no_link) { EXPECT_EQ(cluster_of("{devices: 1}").devices(), 1); }

TEST(Cluster, a_link_beside_a_matrix_gives_what_the_matrix_does_not) {
  const Cluster cluster =
      cluster_of("{devices: 2, link: {bandwidth: 3 GB/s}, latency_matrix: [[0, 1 ms], [1 ms, 0]]}");
  EXPECT_EQ(cluster.topology.route(0, 1).latency, milliseconds(1));
  EXPECT_DOUBLE_EQ(cluster.topology.route(0, 1).bottleneck.bytes_per_s, 3e9);
}

TEST(ClusterErrors, name_their_place_and_what_would_be_right) {
  EXPECT_EQ(error_in("{node: dgx-a100-80g, nodes: 2, devices: 9}"),
            "cluster.yaml:1:41: error: 9 devices cannot be the same number in each of 2 nodes");
  EXPECT_EQ(error_in("{node: dgx-a100-80g, nodes: 2, devices: 17}"),
            "cluster.yaml:1:41: error: '17' must be a whole number from 1 to 16");
  EXPECT_EQ(error_in("{nodes: 2}"),
            "cluster.yaml:1:2: error: unknown key 'nodes'; did you mean 'notes'?");
  EXPECT_EQ(error_in("{}"),
            "cluster.yaml:1:1: error: a cluster needs the key 'node', 'groups', or 'devices' with "
            "'link'");
  EXPECT_EQ(error_in("{devices: 4}"), "cluster.yaml:1:1: error: a cluster needs the key 'link'");
  EXPECT_EQ(
      error_in("{node: {device: k80}, nodes: 2}"),
      "cluster.yaml:1:1: error: 2 nodes need the key 'fabric', such as {kind: fat-tree, link: "
      "hdr, nics: 8}");
  EXPECT_EQ(error_in("{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tre, link: hdr}}"),
            "cluster.yaml:1:47: error: unknown kind 'fat-tre' of fabric; there are: dragonfly, "
            "fat-tree, graph, star, torus; did you mean 'fat-tree'?");
  EXPECT_EQ(
      error_in("{groups: []}"),
      "cluster.yaml:1:10: error: groups must be a list such as [{node: p3.8xlarge, nodes: 8}]");
  EXPECT_EQ(error_in("selene-69"),
            "cluster.yaml:1:1: error: unknown cluster 'selene-69'; did you mean 'selene-96'? "
            "('pipewright list clusters' lists all)");
}

TEST(ClusterErrors, a_matrix_has_a_row_and_a_column_for_each_device) {
  EXPECT_EQ(error_in("{devices: 2, latency_matrix: [[0, 1 ms]]}"),
            "cluster.yaml:1:30: error: must be a list of 2 rows (row = from, column = to), one for "
            "each device");
  EXPECT_EQ(error_in("{devices: 2, latency_matrix: [[0, 1 ms], [1 ms]]}"),
            "cluster.yaml:1:42: error: must be a list of 2 values, one for each device");
  EXPECT_EQ(error_in("{devices: 2, latency_matrix: [[0, 1 GB], [1 ms, 0]]}"),
            "cluster.yaml:1:35: error: '1 GB' has the unit 'GB', but must be a time such as 10 us");
}

TEST(ClusterErrors, a_speed_stands_for_each_device) {
  EXPECT_EQ(cluster_of("{node: p3.8xlarge, speeds: [1, 1, 0.9, 1]}").speeds[2], 0.9);
  EXPECT_EQ(
      error_in("{devices: 2, link: eth-10, speeds: [1]}"),
      "cluster.yaml:1:36: error: must be a list of 2 speeds, one for each device, 1 = as fast "
      "as its kind");
  EXPECT_NE(error_in("{devices: 2, link: eth-10, speeds: [1, 0]}"), "no error");
}

TEST(ClusterErrors, size_is_bounded) {
  EXPECT_EQ(error_in("{node: dgx-a100-80g, nodes: 20000}"),
            "cluster.yaml:1:1: error: a cluster has at most 131072 devices, this one 160000");
  EXPECT_NE(error_in("{devices: 1000000000, link: {latency: 0 s}}").find("from 1 to 131072"),
            std::string::npos);
}

double price_of(std::string_view yaml, const std::vector<int32_t>& devices) {
  return cluster_of(yaml).price_per_hour(devices);
}

// As clouds rent them: 2 devices of a node of 4 cost what 4 do, and 5 of two nodes what 8 do.
TEST(Cluster, a_node_that_has_a_price_is_paid_whole) {
  constexpr std::string_view rented =
      "{node: {device: {base: k80, price_per_hour: 9}, devices: 4, price_per_hour: 10}, nodes: 2, "
      "fabric: {kind: star, link: eth-100}}";
  EXPECT_EQ(price_of(rented, {0, 1}), 10);
  EXPECT_EQ(price_of(rented, {0, 1, 2, 3}), 10);
  EXPECT_EQ(price_of(rented, {3, 4}), 20);
  EXPECT_EQ(price_of(rented, {0, 1, 2, 3, 7}), 20);
}

TEST(Cluster, devices_that_have_a_price_are_paid_one_by_one) {
  constexpr std::string_view single =
      "{device: {base: k80, price_per_hour: 2}, devices: 4, "
      "link: eth-100}";
  EXPECT_EQ(price_of(single, {1}), 2);
  EXPECT_EQ(price_of(single, {0, 1, 3}), 6);
}

// Ten for the first node, and three for each device of the second; the third says nothing.
TEST(Cluster, prices_of_unlike_groups_add_up) {
  constexpr std::string_view mixed =
      "{groups: [{node: {device: k80, devices: 4, price_per_hour: 10}, nodes: 1}, "
      "{node: {device: {base: k80, price_per_hour: 3}, devices: 4}, nodes: 1}, "
      "{node: {device: k80, devices: 4}, nodes: 1}], fabric: {kind: star, link: eth-100}}";
  EXPECT_EQ(price_of(mixed, {0, 4, 5}), 16);
  EXPECT_EQ(price_of(mixed, {0, 4, 8}), 0);
}

}  // namespace
}  // namespace pipewright
