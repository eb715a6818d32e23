// Flows over ways that are fixed, drawn or shared.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Four pairs of nodes, one to the left and one to the right of four ways of 1 GB/s each.
constexpr const char* four_spines = R"(
traffic: [{from: 0, to: 4, bytes: 1 GB}, {from: 1, to: 5, bytes: 1 GB},
          {from: 2, to: 6, bytes: 1 GB}, {from: 3, to: 7, bytes: 1 GB}]
cluster:
  node: {device: {flops: {fp32: 1 TFLOP/s}, memory: 1 GiB, memory_bandwidth: 1 TB/s}}
  nodes: 8
  fabric:
    kind: graph
    links:
      - {between: [node 0, switch 0], link: {bandwidth: 1 GB/s}}
      - {between: [node 1, switch 0], link: {bandwidth: 1 GB/s}}
      - {between: [node 2, switch 0], link: {bandwidth: 1 GB/s}}
      - {between: [node 3, switch 0], link: {bandwidth: 1 GB/s}}
      - {between: [node 4, switch 1], link: {bandwidth: 1 GB/s}}
      - {between: [node 5, switch 1], link: {bandwidth: 1 GB/s}}
      - {between: [node 6, switch 1], link: {bandwidth: 1 GB/s}}
      - {between: [node 7, switch 1], link: {bandwidth: 1 GB/s}}
      - {between: [switch 0, switch 2], link: {bandwidth: 1 GB/s}}
      - {between: [switch 0, switch 3], link: {bandwidth: 1 GB/s}}
      - {between: [switch 0, switch 4], link: {bandwidth: 1 GB/s}}
      - {between: [switch 0, switch 5], link: {bandwidth: 1 GB/s}}
      - {between: [switch 1, switch 2], link: {bandwidth: 1 GB/s}}
      - {between: [switch 1, switch 3], link: {bandwidth: 1 GB/s}}
      - {between: [switch 1, switch 4], link: {bandwidth: 1 GB/s}}
      - {between: [switch 1, switch 5], link: {bandwidth: 1 GB/s}}
)";

auto run_four(const std::string& options) {
  return run(experiment(four_spines + ("network: {flow: " + options + "}\n"))).result;
}

// Of the 256 ways to throw four flows on four ways, the fullest has one in 24, two in 180, three in
// 48 and four in 4: it takes as many seconds. So the median is 2 s, and the 90th and the
// 95th percentile are 3 s.
TEST(Routing, hashed_flows_collide_as_balls_in_boxes) {
  const RunResult result = run_four("{routing: ecmp, seeds: 400}");
  ASSERT_TRUE(result.ranges.variation);
  EXPECT_NEAR(in_seconds(result.ranges.variation->p50), 2, 1e-9);
  EXPECT_NEAR(in_seconds(result.ranges.variation->p90), 3, 1e-9);
  EXPECT_NEAR(in_seconds(result.ranges.variation->p95), 3, 1e-9);
  EXPECT_EQ(result.ranges.variation->seeds, 400);
}

// All to the first way: four in one. Sprayed, 4 GB over 4 GB/s.
double bytes_on(const RunResult& result, std::string_view tier) {
  double sum = 0;
  for (const LinkUse& link : result.links)
    if (link.name.find(tier) != std::string::npos) sum += link.bytes;
  return sum;
}

// All 4 GB leave the left switch by some way, whichever are drawn; spraying gives a quarter to
// each.
TEST(Routing, links_carry_what_the_drawn_routes_put_on_them) {
  for (const char* how : {"fixed", "ecmp", "spray"}) {
    const RunResult result = run_four(fmt::format("{{routing: {}}}", how));
    double left = 0;
    for (const char* way : {"> spine 2", "> spine 3", "> spine 4", "> spine 5"})
      left += bytes_on(result, way);
    EXPECT_DOUBLE_EQ(left, 4e9) << how;
  }
  EXPECT_DOUBLE_EQ(bytes_on(run_four("{routing: spray}"), "spine 0 > spine 3"), 1e9);
}

TEST(Routing, spraying_is_the_fluid_optimum_and_the_first_way_the_worst) {
  EXPECT_NEAR(in_seconds(run_four("{routing: spray}").metrics.makespan), 1, 1e-9);
  EXPECT_NEAR(in_seconds(run_four("{routing: fixed}").metrics.makespan), 4, 1e-9);
}

// 256 parts on four ways: 64 each, give or take sqrt(256 / 4 * 3 / 4) = 7.
TEST(Routing, many_queue_pairs_come_near_it) {
  const RunResult result = run_four("{routing: ecmp, queue_pairs: 64, seeds: 20}");
  EXPECT_GT(in_seconds(result.ranges.variation->p50), 1);
  EXPECT_LT(in_seconds(result.ranges.variation->p90), 1.4);
}

// Leaves of two hosts and two spines: two flows from leaf to leaf meet on a spine in half of the
// draws and take twice as long.
TEST(Routing, the_spines_of_a_fat_tree_are_drawn_one_by_one) {
  const RunResult result =
      run(experiment("traffic: [{from: 0, to: 2, bytes: 1 GB}, {from: 1, to: 3, bytes: 1 GB}]\n"
                     "cluster: {node: {device: {flops: {fp32: 1 TFLOP/s}, memory: 1 GiB, "
                     "memory_bandwidth: 1 TB/s}}, nodes: 8, fabric: {kind: fat-tree, "
                     "switch_ports: 4, link: {bandwidth: 1 GB/s}}}\n"
                     "network: {flow: {routing: ecmp, seeds: 100}}\n"))
          .result;
  EXPECT_NEAR(in_seconds(result.ranges.variation->p10), 1, 1e-9);
  EXPECT_NEAR(in_seconds(result.ranges.variation->p90), 2, 1e-9);
}

TEST(Routing, has_no_meaning_between_peers_and_says_so) {
  EXPECT_NE(error_of([] {
              run(
                  experiment("model: gpt2-small\ncluster: {devices: 2, link: {latency: 1 us}}\n"
                             "peers: swarm\nnetwork: {flow: {routing: ecmp}}\n"));
            }).find("'routing' chooses the routes of training iterations, traces and traffic"),
            std::string::npos);
  EXPECT_NE(error_of([] { run_four("{queue_pairs: 4}"); }).find("goes with 'routing: ecmp'"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
