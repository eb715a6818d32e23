// Rings over real nodes, against what their links add up to.
#include "network/ring.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "clusters.hpp"

namespace pipewright {
namespace {

using test::cluster_of;

Ring ring_of(std::string_view cluster, std::vector<int> devices) {
  return find_ring(cluster_of(cluster).topology, devices);
}

Ring ring_of_all(std::string_view cluster) {
  const Topology topology = cluster_of(cluster).topology;
  std::vector<int> devices(static_cast<size_t>(topology.devices()));
  std::iota(devices.begin(), devices.end(), 0);
  return find_ring(topology, devices);
}

double gigabytes_per_s(const Ring& ring) { return 1e-9 / ring.seconds_per_byte; }
double microseconds_of(const Ring& ring) { return ring.latency_s * 1e6; }

TEST(Ring, on_a_switch_each_edge_has_a_device_s_bandwidth) {
  const Ring ring = ring_of_all("{node: dgx-a100-80g}");
  EXPECT_EQ(ring.size, 8);
  EXPECT_NEAR(gigabytes_per_s(ring), 300, 1e-9);
  EXPECT_NEAR(microseconds_of(ring), 7 * 0.6, 1e-9);
}

TEST(Ring, on_a_mesh_all_lanes_between_members_work_together) {
  // Lanes of 25 GB/s: all six; within a quad four; between GPU 0 and 1 one, 0 and 3 two.
  // vTrain measured bus bandwidths of 134.5, 85.4 and 22.6 GB/s: nine tenths of these.
  EXPECT_NEAR(gigabytes_per_s(ring_of_all("{node: dgx-1-v100-16g}")), 150, 1e-9);
  EXPECT_NEAR(gigabytes_per_s(ring_of_all("{node: p3.8xlarge}")), 100, 1e-9);
  EXPECT_NEAR(gigabytes_per_s(ring_of("{node: p3.16xlarge}", {0, 1})), 25, 1e-9);
  EXPECT_NEAR(gigabytes_per_s(ring_of("{node: p3.16xlarge}", {0, 3})), 50, 1e-9);
}

TEST(Ring, members_of_a_mesh_that_share_no_links_go_over_the_host) {
  EXPECT_NEAR(gigabytes_per_s(ring_of("{node: p3.16xlarge}", {0, 5})), 16, 1e-9);
  // 0 - 1 - 5 are a chain: no ring closes over it.
  EXPECT_NEAR(gigabytes_per_s(ring_of("{node: p3.16xlarge}", {0, 1, 5})), 16, 1e-9);
}

TEST(Ring, whole_nodes_drive_all_their_nics) {
  // Eight HDR ports: 200 GB/s, less than NVLink's 300. Four: 100 (measured 96.5, nccl-tests issue
  // 119, three nodes).
  const char* four = "{node: dgx-a100-40g, nodes: 3, fabric: {kind: fat-tree, link: hdr, nics: 4}}";
  EXPECT_NEAR(gigabytes_per_s(ring_of_all("{node: dgx-a100-80g, nodes: 2}")), 200, 1e-9);
  EXPECT_NEAR(gigabytes_per_s(ring_of_all(four)), 100, 1e-9);
}

TEST(Ring, a_device_alone_on_its_node_has_its_part_of_a_nic) {
  const char* eight = "{node: dgx-a100-80g, nodes: 2}";
  const char* four = "{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 4}}";
  EXPECT_NEAR(gigabytes_per_s(ring_of(eight, {3, 11})), 25, 1e-9);
  EXPECT_NEAR(gigabytes_per_s(ring_of(four, {3, 11})), 12.5, 1e-9);
  EXPECT_NEAR(gigabytes_per_s(ring_of(four, {2, 3, 10, 11})), 25, 1e-9);  // both on NIC 1
  EXPECT_NEAR(gigabytes_per_s(ring_of(four, {0, 7, 8, 15})), 25, 1e-9);   // halves of two NICs
}

TEST(Ring, the_smaller_share_decides_how_many_rails_there_are) {
  EXPECT_NEAR(gigabytes_per_s(ring_of("{node: dgx-a100-80g, nodes: 2}", {0, 1, 2, 8})), 25, 1e-9);
}

TEST(Ring, a_faster_nic_than_its_host_link_is_held_back) {
  // 400 Gb/s behind PCIe 4 x16 with 31 GB/s.
  EXPECT_NEAR(gigabytes_per_s(ring_of(
                  "{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: ndr}}", {0, 8})),
              31, 1e-9);
}

TEST(Ring, latencies_add_up_around_the_ring_but_for_the_least) {
  // 14 edges of 0.6 us inside two nodes, 2 of 2.7 us between, one of 0.6 us left out.
  EXPECT_NEAR(microseconds_of(ring_of_all("{node: dgx-a100-80g, nodes: 2}")), 13.2, 1e-9);
}

TEST(Ring, the_order_in_which_devices_are_named_does_not_matter) {
  const Ring sorted = ring_of("{node: dgx-a100-80g, nodes: 2}", {1, 2, 9, 10});
  const Ring mixed = ring_of("{node: dgx-a100-80g, nodes: 2}", {9, 1, 10, 2});
  EXPECT_EQ(sorted.latency_s, mixed.latency_s);
  EXPECT_EQ(sorted.seconds_per_byte, mixed.seconds_per_byte);
}

TEST(Ring, messages_to_all_peers_overlap_inside_and_between_nodes) {
  // To 8 peers on the other node over 25 GB/s, longer than to 7 on its own over 300 GB/s.
  const Ring ring = ring_of_all("{node: dgx-a100-80g, nodes: 2}");
  EXPECT_NEAR(ring.peers_s_per_byte * 1e9, 8 / 25.0, 1e-12);
  EXPECT_NEAR(ring.peers_latency_s * 1e6, 7 * 0.6 + 8 * 2.7, 1e-9);
}

TEST(Ring, messages_to_all_peers_of_a_mesh_wait_for_the_thinnest_way) {
  // Full mesh: one byte to each over links of 64 GB/s. Cube mesh: three peers share PCIe, 16 GB/s.
  EXPECT_NEAR(ring_of_all("{node: mi300x}").peers_s_per_byte * 1e9, 1 / 64.0, 1e-12);
  EXPECT_NEAR(ring_of_all("{node: p3.16xlarge}").peers_s_per_byte * 1e9, 3 / 16.0, 1e-12);
}

}  // namespace
}  // namespace pipewright
