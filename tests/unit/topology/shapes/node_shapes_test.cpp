// What two devices of one node have between them, by shape.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clusters.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::cluster_of;
using test::kinds_of;

double gigabytes_per_s(const Route& route) { return route.bottleneck.bytes_per_s * 1e-9; }

TEST(Nvswitch, any_two_devices_talk_at_full_bandwidth_with_the_latency_of_the_link) {
  const Cluster cluster = cluster_of("{node: dgx-2}");
  ASSERT_EQ(cluster.devices(), 16);
  for (int other = 1; other < 16; ++other) {
    const Route route = cluster.topology.route(0, other);
    EXPECT_DOUBLE_EQ(gigabytes_per_s(route), 150);
    EXPECT_EQ(route.latency, nanoseconds(600));
  }
}

TEST(HybridCubeMesh, a_v100_has_six_lanes_of_25_to_four_neighbours) {
  const Cluster cluster = cluster_of("{node: dgx-1-v100-16g}");
  // Row of GPU 0 in `nvidia-smi topo -m`: NV1 NV1 NV2 NV2 SYS SYS SYS.
  const double to[] = {0, 25, 25, 50, 50, 16, 16, 16};
  for (int other = 1; other < 8; ++other)
    EXPECT_DOUBLE_EQ(gigabytes_per_s(cluster.topology.route(0, other)), to[other]) << other;
}

TEST(HybridCubeMesh, every_device_uses_all_its_lanes) {
  for (const auto& [node, total] : {std::pair{"dgx-1-v100-16g", 150.0}, {"dgx-1-p100", 80.0}}) {
    const Cluster cluster = cluster_of(fmt::format("{{node: {}}}", node));
    for (int d = 0; d < 8; ++d) {
      double sum = 0;
      for (const LinkId id : cluster.topology.links_of(cluster.topology.vertex(d))) {
        const Link& link = cluster.topology.links()[id];
        if (link.kind == LinkKind::nvlink) sum += link.bandwidth.bytes_per_s * 1e-9;
      }
      EXPECT_DOUBLE_EQ(sum, total) << node << " device " << d;
    }
  }
}

TEST(HybridCubeMesh, devices_without_a_link_meet_in_the_host) {
  const Cluster cluster = cluster_of("{node: dgx-1-v100-16g}");
  EXPECT_EQ(kinds_of(cluster.topology, cluster.topology.route(0, 5)), "pcie pcie");
}

TEST(HybridCubeMesh, needs_four_or_six_lanes) {
  EXPECT_EQ(
      test::error_of([] {
        cluster_of("{node: {device: k80, interconnect: {kind: hybrid-cube-mesh, link: nvlink3}}}");
      }),
      "cluster.yaml:1:36: error: a hybrid-cube-mesh needs a link with 4 or 6 'lanes', such as "
      "nvlink1 or nvlink2");
}

TEST(FullMesh, a_pair_has_its_part_of_a_device_s_lanes) {
  const Cluster all = cluster_of("{node: mi300x}");
  EXPECT_DOUBLE_EQ(gigabytes_per_s(all.topology.route(2, 7)), 64);
  // Using fewer devices does not move the lanes.
  const Cluster two = cluster_of("{node: mi300x, devices: 2}");
  EXPECT_DOUBLE_EQ(gigabytes_per_s(two.topology.route(0, 1)), 64);
}

TEST(Pcie, devices_meet_in_the_host) {
  const Cluster cluster = cluster_of("{node: p2.8xlarge}");
  const Route route = cluster.topology.route(0, 7);
  EXPECT_EQ(kinds_of(cluster.topology, route), "pcie pcie");
  EXPECT_EQ(route.latency, microseconds(1));
  EXPECT_DOUBLE_EQ(gigabytes_per_s(route), 16);
}

}  // namespace
}  // namespace pipewright
