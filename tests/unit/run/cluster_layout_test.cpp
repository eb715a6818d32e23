#include "run/cluster_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/drawn_run.hpp"
#include "support/clusters.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// Four nodes of two devices, each with a NIC of its own on the leaf of its rail. Two ports of a
// switch of four go down, so a leaf has the NICs of two nodes.
const char* const two_pods =
    "{node: {device: {flops: {fp32: 1 TFLOP/s}}, devices: 2, interconnect: {kind: full-mesh, link: "
    "{latency: 1 us, bandwidth: 100 GB/s}}}, nodes: 4, fabric: {kind: fat-tree, switch_ports: 4, "
    "link: {latency: 1 us, bandwidth: 10 GB/s}}}";

LinkBytes nothing(const Topology& topology) { return bytes_of_each(Program{}, topology, Prices{}); }

TEST(ClusterLayout, neighbours_under_the_same_leaves_are_a_pod) {
  const Topology topology = cluster_of(two_pods).topology;
  const ClusterLayout layout = cluster_layout(topology, nothing(topology), seconds(1.0));
  EXPECT_EQ(layout.nodes, (std::vector<int32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(layout.pods, (std::vector<int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(layout.rails, (std::vector<int32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(ClusterLayout, a_pod_has_a_switch_for_every_rail_and_others_join_pods) {
  const Topology topology = cluster_of(two_pods).topology;
  const ClusterLayout layout = cluster_layout(topology, nothing(topology), seconds(1.0));
  std::vector<std::pair<int, int>> leaves;
  int above = 0;
  for (const FabricSwitch& one : layout.switches)
    one.pod < 0 ? void(++above) : leaves.push_back({one.pod, one.rail});
  std::ranges::sort(leaves);
  EXPECT_EQ(leaves, (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  EXPECT_GT(above, 0);
}

TEST(ClusterLayout, all_on_one_switch_is_one_pod_with_one_rail) {
  const Topology topology =
      cluster_of("{devices: 5, link: {latency: 1 us, bandwidth: 25 GB/s}}").topology;
  const ClusterLayout layout = cluster_layout(topology, nothing(topology), seconds(1.0));
  EXPECT_EQ(std::ranges::count(layout.pods, 0), static_cast<int>(layout.pods.size()));
  EXPECT_LE(layout.switches.size(), 1u);
}

// What a page says of switches is no more than what the result says of links.
TEST(ClusterLayout, the_busiest_switch_is_at_the_busiest_link) {
  const auto made = run(small_gpt("parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\n"));
  double busiest = 0;
  for (const LinkUse& link : made.result.links)
    if (link.name.find("leaf") != std::string::npos)
      busiest = std::max(busiest, link.busy_fraction);
  double drawn = 0;
  for (const FabricSwitch& one : drawn_run(made, config::Catalogue{}, {}).cluster.switches)
    drawn = std::max(drawn, one.busy_fraction);
  EXPECT_GT(busiest, 0);
  EXPECT_DOUBLE_EQ(drawn, busiest);
}

}  // namespace
}  // namespace pipewright::test
