// A collective by itself on a fabric that is narrower above its leaves, counted by hand.
#include "traffic/collective_study.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

double seconds_of(const char* operation, const std::string& cluster, int64_t mib, int ranks = 0) {
  const config::Catalogue catalogue;
  const CollectiveQuestion question{
      .operation = operation, .ranks = ranks, .sizes = {Bytes{mib << 20}}};
  return ask(question, read_cluster(config::parse(cluster, "c.yaml"), catalogue), "c", catalogue)
      .rows.front()
      .time_s;
}

std::string tree(int oversubscription) {
  return fmt::format(
      "{{node: dgx-h100, nodes: 32, fabric: {{kind: fat-tree, link: ndr, nics: 8,"
      " oversubscription: {}, switch_ports: 10}}}}",
      oversubscription);
}

// At 4:1 a leaf has eight nodes, of which each rail sends 24 / 32 of 1 GiB to others, and two
// uplinks of 50 GB/s. The start-up of its messages comes on top.
TEST(CollectiveStudy, an_all_to_all_goes_no_faster_than_the_uplinks_of_its_leaves) {
  const double sent = 8 * (24.0 / 32) * 1024 * 1024 * 1024;
  const double took = seconds_of("all_to_all", tree(4), 1024);
  EXPECT_GE(took, sent / 100e9);
  EXPECT_LE(took, 1.003 * sent / 100e9);
}

// Every rank sends to the next: 256 MiB over the 1 GB/s between two nodes take 0.268 s, over 100
// GB/s within one a hundredth of that.
TEST(CollectiveStudy, a_ring_of_messages_takes_what_those_between_nodes_take) {
  const std::string nodes =
      "{node: {devices: 2, interconnect: {kind: nvswitch, link: {latency: 0 s, bandwidth: 100 "
      "GB/s}}}, "
      "nodes: 2, fabric: {kind: star, link: {latency: 0 s, bandwidth: 1 GB/s}}}";
  const double between = 256 * 1024 * 1024 / 1e9;
  EXPECT_NEAR(seconds_of("send_recv", nodes, 256, 4), between, 0.01 * between);
  EXPECT_NEAR(seconds_of("send_recv", nodes, 256), between / 100, 0.01 * between);
}

TEST(CollectiveStudy, a_narrower_fabric_is_never_faster) {
  for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"})
    for (const int64_t mib : {1, 1024}) {
      const double full = seconds_of(operation, tree(1), mib);
      const double half = seconds_of(operation, tree(2), mib);
      EXPECT_LE(full, half) << operation;
      EXPECT_LE(half, seconds_of(operation, tree(4), mib)) << operation;
    }
}

}  // namespace
}  // namespace pipewright
