#include "topology/spreading.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "clusters.hpp"

namespace pipewright {
namespace {

/// Two nodes with four ways between them.
Cluster four_spines() {
  std::string links;
  for (int spine = 0; spine < 4; ++spine) {
    for (int node = 0; node < 2; ++node)
      links += "{between: [node " + std::to_string(node) + ", switch " + std::to_string(spine) +
               "], link: eth-10}, ";
  }
  return test::cluster_of(
      "{node: {device: {flops: {fp32: 1 TFLOP/s}}}, nodes: 2, fabric: "
      "{kind: graph, links: [" +
      links + "]}}");
}

// Of n ways, n (1 - 1 / n)^k are left empty by k draws: 4 (3/4)^4 = 1.266 here. The standard
// deviation of one run is below 1, so that of the mean of 4000 is below 0.016.
TEST(SpreadRoutes, draws_leave_as_many_ways_empty_as_chance_would) {
  const Cluster cluster = four_spines();
  double empty = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SpreadRoutes routes(cluster.topology, {.how = Spreading::How::hash, .seed = seed});
    std::set<std::vector<LinkId>> used;
    for (uint64_t flow = 0; flow < 4; ++flow) used.insert(routes.of(0, 1, flow).front().links);
    empty += 4 - static_cast<double>(used.size());
  }
  EXPECT_NEAR(empty / 4000, 4 * std::pow(0.75, 4), 5 * 0.016);
}

TEST(SpreadRoutes, the_same_seed_draws_the_same) {
  const Cluster cluster = four_spines();
  SpreadRoutes one(cluster.topology, {.how = Spreading::How::hash, .queue_pairs = 8, .seed = 3});
  SpreadRoutes other(cluster.topology, {.how = Spreading::How::hash, .queue_pairs = 8, .seed = 3});
  const std::vector<Route> a = one.of(0, 1, 5), b = other.of(0, 1, 5);
  ASSERT_EQ(a.size(), 8u);
  for (size_t k = 0; k < 8; ++k) EXPECT_EQ(a[k].links, b[k].links);
}

/// Holds the routes of all numbers to those that are listed, in order.
void expect_numbered_as_listed(const Topology& topology) {
  PathCounts counts;
  for (int from = 0; from < topology.devices(); ++from) {
    for (int to = 0; to < topology.devices(); ++to) {
      const std::vector<Route> listed = topology.equal_cost_routes(from, to, 100'000);
      std::vector<uint64_t> numbers;  // twice round
      for (size_t k = 0; k < 2 * listed.size(); ++k) numbers.push_back(k);
      const std::vector<Route> numbered = topology.numbered_routes(from, to, numbers, counts);
      ASSERT_EQ(numbered.size(), numbers.size());
      for (size_t k = 0; k < numbers.size(); ++k) {
        const Route& expected = listed[k % listed.size()];
        ASSERT_EQ(numbered[k].links, expected.links) << from << " to " << to << ": " << k;
        ASSERT_EQ(numbered[k].latency, expected.latency);
        ASSERT_EQ(numbered[k].bottleneck, expected.bottleneck);
      }
    }
  }
}

TEST(SpreadRoutes, a_route_has_the_number_of_its_place_in_the_list) {
  expect_numbered_as_listed(four_spines().topology);
  for (const char* fabric :
       {"kind: torus, dims: [3, 4]", "kind: torus, dims: [2, 2, 3]", "kind: fat-tree, nics: 2"}) {
    expect_numbered_as_listed(
        test::cluster_of(std::string("{node: {device: {flops: {fp32: 1 TFLOP/s}}, devices: 2, "
                                     "interconnect: {kind: full-mesh, link: {bandwidth: 1 GB/s}}}, "
                                     "nodes: 12, fabric: {link: eth-10, ") +
                         fabric + "}}")
            .topology);
  }
}

// A torus of 24 x 24 x 24 has 36!/(12!)^3 ways to the opposite corner, far more than can be listed.
TEST(SpreadRoutes, draws_need_no_list) {
  const Cluster cluster = test::cluster_of(
      "{node: {device: {flops: {fp32: 1 TFLOP/s}}}, nodes: 13824, fabric: "
      "{kind: torus, dims: [24, 24, 24], link: eth-10}}");
  SpreadRoutes routes(cluster.topology, {.how = Spreading::How::hash, .queue_pairs = 64});
  const int opposite = 12 * 24 * 24 + 12 * 24 + 12;
  std::set<std::vector<LinkId>> used;
  for (const Route& route : routes.of(0, opposite, 0)) used.insert(route.links);
  EXPECT_EQ(used.size(), 64u) << "two alike would be a rare chance";
  for (const std::vector<LinkId>& links : used)
    EXPECT_EQ(links.size(), cluster.topology.route(0, opposite).links.size());
}

TEST(SpreadRoutes, spraying_takes_every_way_once) {
  const Cluster cluster = four_spines();
  SpreadRoutes routes(cluster.topology, {.how = Spreading::How::all});
  std::set<std::vector<LinkId>> used;
  for (const Route& route : routes.of(0, 1, 0)) used.insert(route.links);
  EXPECT_EQ(used.size(), 4u);
}

}  // namespace
}  // namespace pipewright
