#include "network/resharding/footprint.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "clusters.hpp"

namespace pipewright::resharding {
namespace {

/// Hosts of four GPUs with 1.25 GB/s between them.
const Topology& hosts() {
  static const Topology topology =
      test::cluster_of("{node: p3.8xlarge, nodes: 3, fabric: {kind: star, link: eth-10}}").topology;
  return topology;
}

/// The source on the first devices, the destination on those that follow.
LinkFootprint footprint(const char* text, Strategy strategy, Balance balance = Balance::order) {
  const Change change = read_change(text);
  Meshes meshes;
  for (int device = 0; device < change.from.devices() + change.to.devices(); ++device)
    (device < change.from.devices() ? meshes.from : meshes.to).push_back(device);
  const std::vector<Piece> pieces = pieces_of(change);
  const Shipment shipment = ship(hosts(), meshes, pieces, GiB, strategy, balance);
  return footprint_of(hosts(), meshes, pieces, strategy, shipment.senders);
}

// Seconds on the way out of a host for each byte of the tensor, were that the only link.
double hosts_out(const char* text, Strategy strategy) {
  return 1.25e9 / footprint(text, strategy).bandwidth;
}

TEST(ReshardingFootprint, a_replicated_tensor_leaves_its_host_as_often_as_the_strategy_says) {
  // To the four devices of one other host: four times, once, once and then a ring inside, once.
  const char* one_host = "R@(1,4) -> R@(1,4)";
  EXPECT_NEAR(hosts_out(one_host, Strategy::send_recv), 4, 1e-9);
  EXPECT_NEAR(hosts_out(one_host, Strategy::local_all_gather), 1, 1e-9);
  EXPECT_NEAR(hosts_out(one_host, Strategy::global_all_gather), 1, 1e-9);
  EXPECT_NEAR(hosts_out(one_host, Strategy::broadcast), 1, 1e-9);
  // To the eight of two hosts. By all-gather among all, half goes into each host and seven eighths
  // follow over the ring's one edge into it.
  const char* two_hosts = "R@(1,4) -> R@(2,4)";
  EXPECT_NEAR(hosts_out(two_hosts, Strategy::send_recv), 8, 1e-9);
  EXPECT_NEAR(hosts_out(two_hosts, Strategy::local_all_gather), 2, 1e-9);
  EXPECT_NEAR(hosts_out(two_hosts, Strategy::global_all_gather), 0.5 + 7.0 / 8, 1e-9);
  EXPECT_NEAR(hosts_out(two_hosts, Strategy::broadcast), 1, 1e-9);
}

TEST(ReshardingFootprint, what_is_cut_alike_on_both_sides_goes_once_whatever_the_strategy) {
  for (const Strategy strategy : strategies)
    EXPECT_NEAR(hosts_out("S1@(1,4) -> S1@(1,4)", strategy), 1, 1e-9);
}

// Two pieces between four devices of one host go side by side: half the tensor over one link.
TEST(ReshardingFootprint, pieces_within_a_host_do_not_wait_for_each_other) {
  const Change change = read_change("S0@(2,1) -> S0@(2,1)");
  const Change one = read_change("R@(1,1) -> R@(1,1)");
  const Meshes four{{0, 1}, {2, 3}}, two{{0}, {2}};
  const Time whole =
      time_of(hosts(), two, pieces_of(one), GiB, Strategy::send_recv, Balance::order);
  const Time cut =
      time_of(hosts(), four, pieces_of(change), GiB, Strategy::send_recv, Balance::order);
  EXPECT_LT(in_seconds(cut), 0.51 * in_seconds(whole));
}

}  // namespace
}  // namespace pipewright::resharding
