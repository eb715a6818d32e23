// All-reduces that the switches of an InfiniBand fabric add up.
#include "network/nccl/in_network.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "machine/collective_profile.hpp"
#include "network/nccl/model.hpp"
#include "support/clusters.hpp"

namespace pipewright::test {
namespace {

/// A cluster of DGX nodes with NICs of InfiniBand.
struct Fabric {
  Fabric(const std::string& node, const std::string& link, int nodes, bool sharp)
      : cluster(cluster_of("{node: " + node + ", nodes: " + std::to_string(nodes) +
                           ", fabric: {kind: fat-tree, link: " + link +
                           ", nics: 8, sharp: " + (sharp ? "true" : "false") + "}}")),
        times(cluster.topology, collective_profiles_of(cluster, config::Catalogue{})) {
    for (int device = 0; device < cluster.devices(); ++device) devices.push_back(device);
  }

  double all_reduce_s(int64_t bytes) const {
    return in_seconds(times.collective(CollectiveKind::all_reduce, devices, Bytes{bytes}));
  }

  Cluster cluster;
  CollectiveTimes times;
  std::vector<int32_t> devices;
};

constexpr double ndr_node = 8 * 50e9, hdr_node = 8 * 25e9;  // bytes/s

TEST(InNetwork, large_all_reduces_send_every_byte_once) {
  for (const int nodes : {4, 8, 32}) {
    const Fabric ring("dgx-a100-80g", "hdr", nodes, false),
        sharp("dgx-a100-80g", "hdr", nodes, true);
    constexpr int64_t bytes = int64_t{1} << 33;
    // Beside NVLink, which a ring crosses as well, the NICs are what holds it up.
    const double n = 8 * nodes, bus = 2 * (n - 1) / n * double(bytes) / sharp.all_reduce_s(bytes);
    EXPECT_LE(bus, 2 * (n - 1) / n * hdr_node) << nodes;
    EXPECT_GT(ring.all_reduce_s(bytes) / sharp.all_reduce_s(bytes), 1.2) << nodes;
    EXPECT_LE(ring.all_reduce_s(bytes) / sharp.all_reduce_s(bytes), 2.0) << nodes;
  }
}

TEST(InNetwork, nothing_is_faster_than_the_nics) {
  for (const int nodes : {2, 4, 16})
    for (int64_t bytes = 1 << 10; bytes <= int64_t{1} << 33; bytes *= 8) {
      const Fabric a100("dgx-a100-80g", "hdr", nodes, true), h100("dgx-h100", "ndr", nodes, true);
      EXPECT_GE(a100.all_reduce_s(bytes), double(bytes) / hdr_node) << nodes << ' ' << bytes;
      EXPECT_GE(h100.all_reduce_s(bytes), double(bytes) / ndr_node) << nodes << ' ' << bytes;
    }
}

TEST(InNetwork, switches_slow_down_nothing_that_is_large) {
  for (const char* node : {"dgx-a100-80g", "dgx-h100"})
    for (const int nodes : {2, 4, 16})
      for (int64_t bytes = int64_t{1} << 28; bytes <= int64_t{1} << 33; bytes *= 4) {
        const Fabric without(node, "ndr", nodes, false), with(node, "ndr", nodes, true);
        EXPECT_LE(with.all_reduce_s(bytes), without.all_reduce_s(bytes) * (1 + 1e-9))
            << node << ' ' << nodes << ' ' << bytes;
      }
}

NcclTuning in_network_tuning(const char* name) {
  return read_nccl_tuning(config::scalar(name), config::Catalogue());
}

TEST(InNetwork, more_nodes_take_no_more_hops) {
  NcclRequest request{.ranks = 32,
                      .nodes = 4,
                      .on_switch = true,
                      .ring_bandwidth = 200e9,
                      .network_hop_s = 2e-6,
                      .fabric = LinkKind::infiniband_sharp};
  const NcclTuning ampere = in_network_tuning("ampere");
  // 2 (3.7 us + 7 * 0.4 us) + 31 us - the wire's 2.7 us + 2 us.
  const Line few = in_network_line(ampere, request, NcclAlgorithm::collnet_direct, Hop::taken);
  EXPECT_NEAR(few.fixed_s, 43.3e-6, 1e-10);
  request.ranks = 512;
  request.nodes = 64;
  EXPECT_EQ(in_network_line(ampere, request, NcclAlgorithm::collnet_direct, Hop::taken).fixed_s,
            few.fixed_s);
}

TEST(InNetwork, it_is_for_all_reduces_over_several_nodes_and_fabrics_that_reduce) {
  NcclRequest request{.ranks = 32,
                      .nodes = 4,
                      .on_switch = true,
                      .ring_bandwidth = 400e9,
                      .fabric = LinkKind::infiniband_sharp};
  const NcclTuning hopper = in_network_tuning("hopper"), ampere = in_network_tuning("ampere");
  EXPECT_EQ(in_network_algorithms(hopper, request).size(), 3u);
  EXPECT_EQ(in_network_algorithms(ampere, request).size(), 2u);  // no switch of a node reduces
  request.on_switch = false;
  EXPECT_EQ(in_network_algorithms(ampere, request).size(), 1u);
  request.kind = CollectiveKind::all_gather;
  EXPECT_TRUE(in_network_algorithms(hopper, request).empty());
  request.kind = CollectiveKind::all_reduce;
  request.nodes = 1;
  EXPECT_TRUE(in_network_algorithms(hopper, request).empty());
  request.nodes = 4;
  request.fabric = LinkKind::infiniband;
  EXPECT_TRUE(in_network_algorithms(hopper, request).empty());
}

TEST(InNetwork, only_infiniband_can) {
  EXPECT_NO_THROW(Fabric("dgx-h100", "ndr", 2, true));
  EXPECT_THROW(Fabric("dgx-h100", "roce-400", 2, true), InputError);
}

}  // namespace
}  // namespace pipewright::test
