#include "network/footprint.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "clusters.hpp"
#include "network/alpha_beta.hpp"

namespace pipewright {
namespace {

using test::cluster_of;

/// Times its share that a link can carry at the bandwidth of the passage.
double tightest(const Topology& topology, const LinkFootprint& footprint) {
  double most = 0;
  for (const LinkShare& share : footprint.shares) {
    const double capacity = topology.links()[share.link].bandwidth.bytes_per_s;
    most = std::max(most, share.share * footprint.bandwidth / capacity);
  }
  return most;
}

TEST(LinkFootprint, a_message_is_all_over_every_link_of_its_route) {
  const Topology topology = cluster_of("{node: dgx-a100-80g}").topology;
  const LinkFootprint footprint = message_footprint(topology, 0, 5);
  EXPECT_EQ(footprint.bandwidth, 300e9);
  EXPECT_EQ(footprint.volume, 1);
  ASSERT_EQ(footprint.shares.size(), 2u);  // into the switch and out of it
  EXPECT_EQ(footprint.shares[0].share, 1);
}

TEST(LinkFootprint, unbounded_links_are_left_out) {
  const Topology topology = cluster_of("{devices: 2, link: {latency: 1 ms}}").topology;
  EXPECT_TRUE(message_footprint(topology, 0, 1).shares.empty());
}

TEST(LinkFootprint, both_directions_of_a_shared_link_are_one) {
  const Topology topology =
      cluster_of("{devices: 2, link: {bandwidth: 1 GB/s, sharing: shared}}").topology;
  const LinkFootprint there = message_footprint(topology, 0, 1),
                      back = message_footprint(topology, 1, 0);
  ASSERT_EQ(there.shares.size(), back.shares.size());
  for (size_t k = 0; k < there.shares.size(); ++k)
    EXPECT_EQ(there.shares[k].link, back.shares[k].link);
}

TEST(LinkFootprint, a_ring_sends_and_receives_on_the_port_of_every_member) {
  const Topology topology = cluster_of("{devices: 5, link: {bandwidth: 1 GB/s}}").topology;
  const std::vector<int> members{0, 1, 3, 4};
  const LinkFootprint footprint =
      collective_footprint(topology, CollectiveKind::all_reduce, members);
  EXPECT_DOUBLE_EQ(footprint.volume, 1.5);  // 2 (n - 1) / n
  EXPECT_EQ(footprint.shares.size(), 8u);
  for (const LinkShare& share : footprint.shares) EXPECT_EQ(share.share, 1);
}

TEST(LinkFootprint, a_chain_has_two_ports_less_than_a_ring) {
  const Topology topology = cluster_of("{devices: 4, link: {bandwidth: 1 GB/s}}").topology;
  const std::vector<int> members{0, 1, 2, 3};
  EXPECT_EQ(collective_footprint(topology, CollectiveKind::broadcast, members).shares.size(), 6u);
}

TEST(LinkFootprint, to_all_peers_goes_over_a_port_as_often_as_there_are_peers) {
  const Topology topology = cluster_of("{devices: 4, link: {bandwidth: 1 GB/s}}").topology;
  const std::vector<int> members{0, 1, 2, 3};
  const LinkFootprint footprint =
      collective_footprint(topology, CollectiveKind::all_to_all, members);
  EXPECT_DOUBLE_EQ(footprint.volume, 0.25);
  for (const LinkShare& share : footprint.shares) EXPECT_DOUBLE_EQ(share.share, 3);
  EXPECT_DOUBLE_EQ(tightest(topology, footprint), 1);
}

TEST(LinkFootprint, a_ring_between_nodes_is_spread_over_the_rails) {
  // Eight rails between two nodes: an eighth over each NIC. Each rail goes from GPU to GPU of a
  // node over seven of the eight edges, another seven for each.
  const Topology topology =
      cluster_of("{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}")
          .topology;
  std::vector<int> members(16);
  std::iota(members.begin(), members.end(), 0);
  const LinkFootprint footprint =
      collective_footprint(topology, CollectiveKind::all_reduce, members);
  for (const LinkShare& share : footprint.shares) {
    const Link& link = topology.links()[share.link];
    const bool inside = link.kind == LinkKind::nvlink;
    EXPECT_DOUBLE_EQ(share.share, inside ? 0.875 : 0.125) << topology.name(share.link);
  }
}

TEST(LinkFootprint, a_ring_over_whole_nodes_alone_overloads_no_link) {
  for (const char* cluster :
       {"{node: dgx-1-v100-16g}", "{node: p2.8xlarge}", "{node: p3.8xlarge}", "{node: mi300x}",
        "{node: p3.16xlarge, nodes: 3, fabric: {kind: star, link: eth-25}}",
        "{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: hdr, nics: 4}}",
        "{node: dgx-h100, nodes: 3, fabric: {kind: fat-tree, link: ndr, nics: 8}}"}) {
    SCOPED_TRACE(cluster);
    const Topology topology = cluster_of(cluster).topology;
    std::vector<int> members(static_cast<size_t>(topology.devices()));
    std::iota(members.begin(), members.end(), 0);
    const LinkFootprint footprint =
        collective_footprint(topology, CollectiveKind::all_gather, members);
    EXPECT_LE(tightest(topology, footprint), 1 + 1e-9);
    EXPECT_GE(tightest(topology, footprint), 1 - 1e-9) << "something limits it";
  }
}

}  // namespace
}  // namespace pipewright
