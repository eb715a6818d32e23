// Training iterations whose routes between nodes are drawn by hash or sprayed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/json/result.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Two tensor ranks on two nodes of a leaf, three replicas on three leaves of `ports` ports. All
/// gradients are reduced after the last pass, by two rings at once.
config::Value two_rings(int ports, const std::string& network, const std::string& fabric = "") {
  return experiment(fmt::format(
      "model: {{transformer: {{layers: 2, hidden: 256, heads: 4, ffn: 1024, vocabulary: 51200}}}}\n"
      "cluster: {{node: {{device: {{flops: {{bf16: 1000 TFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 3 TB/s}}}}, nodes: 6, fabric: {{kind: fat-tree, switch_ports: {}, link: "
      "{{bandwidth: 1 GB/s}}{}}}}}\n"
      "parallel: {{tensor: 2, data: 3}}\n"
      "batch: {{global: 3, micro: 1, sequence: 64}}\n"
      "schedule: 1f1b\n"
      "overlap: {{data: false}}\n"
      "network: {}\n",
      ports, fabric, network));
}

double seconds_of(const pipewright::Run& run) { return in_seconds(run.result.metrics.iteration); }

double seconds_of_data(const pipewright::Run& run) {
  return in_seconds(run.result.metrics.breakdown.exposed[static_cast<size_t>(Traffic::data)]);
}

// Each of three leaves sends a rail of either ring to the next leaf, over one of two spines. No two
// meet in one draw of eight; else the rings take twice as long.
TEST(DrawnRoutes, two_rings_collide_as_balls_in_boxes) {
  const auto even = run(two_rings(4, "flow"));
  const auto drawn = run(two_rings(4, "{flow: {routing: ecmp, seeds: 400}}"));
  const Quantiles quantiles = drawn.result.ranges.variation.value_or(Quantiles{});
  EXPECT_EQ(quantiles.seeds, 400);
  EXPECT_NEAR(in_seconds(quantiles.p10), seconds_of(even), 1e-6 * seconds_of(even));
  const double twice = seconds_of(even) + seconds_of_data(even);
  EXPECT_NEAR(in_seconds(quantiles.p50), twice, 1e-3 * twice);
  EXPECT_NEAR(in_seconds(quantiles.p95), twice, 1e-3 * twice);
}

// The run itself is the first draw, of flows as of packets.
TEST(DrawnRoutes, of_one_seed_are_those_of_the_run) {
  for (const std::string network : {"flow", "packet"}) {
    const auto one = run(two_rings(4, "{" + network + ": {routing: ecmp, seeds: 1}}"));
    ASSERT_TRUE(one.result.ranges.variation) << network;
    EXPECT_EQ(one.result.ranges.variation->p50, one.result.metrics.iteration) << network;
  }
}

TEST(DrawnRoutes, without_a_choice_are_the_first) {
  const auto first = run(two_rings(64, "flow"));
  const auto drawn = run(two_rings(64, "{flow: {routing: ecmp, seeds: 2}}"));
  EXPECT_EQ(drawn.result.metrics.iteration, first.result.metrics.iteration);
  const Quantiles quantiles = drawn.result.ranges.variation.value_or(Quantiles{});
  EXPECT_EQ(quantiles.p10, quantiles.p95);
  EXPECT_EQ(quantiles.seeds, 2);
}

TEST(DrawnRoutes, sprayed_over_separate_spines_are_perfect_spreading) {
  const auto merged = run(two_rings(4, "flow"));
  const auto sprayed = run(two_rings(4, "{flow: {routing: spray}}", ", spines: separate"));
  EXPECT_NEAR(seconds_of(sprayed), seconds_of(merged), 1e-9 * seconds_of(merged));
}

TEST(DrawnRoutes, are_the_same_for_the_same_seed_and_differ_between_seeds) {
  const auto text = [](uint64_t seed) {
    RunResult result = run_experiment(two_rings(4, "{flow: {routing: ecmp, seeds: 3}}"),
                                      config::Catalogue{}, {.seed = seed})
                           .result;
    result.cost = {};
    return json_text(result);
  };
  EXPECT_EQ(text(7), text(7));
  bool differs = false;
  for (uint64_t seed = 0; seed < 20; ++seed) differs |= text(seed) != text(7);
  EXPECT_TRUE(differs);
}

TEST(DrawnRoutes, take_as_long_folded_as_unfolded) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    for (const int queue_pairs : {1, 4, 64}) {
      const config::Value one = two_rings(
          4, fmt::format("{{flow: {{routing: ecmp, seeds: 1, queue_pairs: {}}}}}", queue_pairs));
      const auto time = [&](bool fold) {
        return in_seconds(run_experiment(one, config::Catalogue{}, {.fold = fold, .seed = seed})
                              .result.metrics.iteration);
      };
      EXPECT_NEAR(time(true), time(false), 1e-9 * time(false)) << seed << ' ' << queue_pairs;
    }
  }
}

/// The mean slowdown against even spreading, over 60 draws.
double mean_slowdown(int queue_pairs) {
  const double even = seconds_of(run(two_rings(4, "flow")));
  double sum = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto one = run_experiment(
        two_rings(
            4, fmt::format("{{flow: {{routing: ecmp, seeds: 1, queue_pairs: {}}}}}", queue_pairs)),
        config::Catalogue{}, {.seed = seed});
    EXPECT_GE(seconds_of(one), even * (1 - 1e-9)) << seed;
    EXPECT_GE(one.result.metrics.makespan, one.result.metrics.bounds.best()) << seed;
    sum += seconds_of(one) / even;
  }
  return sum / 60;
}

TEST(DrawnRoutes, never_beat_even_ones_and_more_queue_pairs_help) {
  const double one = mean_slowdown(1), four = mean_slowdown(4), many = mean_slowdown(64);
  EXPECT_GT(one, four);
  EXPECT_GT(four, many);
  EXPECT_GE(many, 1);
}

TEST(DrawnRoutes, what_is_resharded_has_none_and_says_so) {
  const config::Value unlike = experiment(
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}\n"
      "strategy:\n"
      "  - {layers: 0-3, devices: 0-7, mesh: [2, 4], tensor: 4, data: 2}\n"
      "  - {layers: 4-7, devices: 8-15, mesh: [1, 8], tensor: 8, data: 1}\n"
      "batch: {global: 16, micro: 2, sequence: 1024}\n"
      "schedule: 1f1b\n"
      "network: {flow: {routing: ecmp}}\n");
  EXPECT_NE(error_of([&] { run(unlike); }).find("is resharded between stages"), std::string::npos);
}

/// Two leaves of eight hosts each, joined over `spines` spines; 16 flows of an exchange cross them.
double mean_over_spines(int spines) {
  std::string links;
  for (int node = 0; node < 16; ++node)
    links += fmt::format("      - {{between: [node {}, switch {}], link: {{bandwidth: 1 GB/s}}}}\n",
                         node, node % 2);
  for (int spine = 0; spine < spines; ++spine)
    for (int leaf = 0; leaf < 2; ++leaf)
      links +=
          fmt::format("      - {{between: [switch {}, switch {}], link: {{bandwidth: 1 GB/s}}}}\n",
                      leaf, 2 + spine);
  const std::string text = fmt::format(
      "model: {{transformer: {{layers: 2, hidden: 256, heads: 4, ffn: 1024, vocabulary: 51200}}}}\n"
      "cluster:\n"
      "  node: {{device: {{flops: {{bf16: 1000 TFLOP/s}}, memory: 80 GiB, memory_bandwidth: 3 "
      "TB/s}}}}\n"
      "  nodes: 16\n"
      "  fabric:\n"
      "    kind: graph\n"
      "    links:\n{}"
      "parallel: {{data: 16}}\n"
      "batch: {{global: 16, micro: 1, sequence: 64}}\n"
      "schedule: 1f1b\n",
      links);
  double sum = 0;
  for (uint64_t seed = 0; seed < 30; ++seed)
    sum +=
        seconds_of(run_experiment(experiment(text + "network: {flow: {routing: ecmp, seeds: 1}}\n"),
                                  config::Catalogue{}, {.seed = seed}));
  return sum / 30;
}

TEST(DrawnRoutes, more_spines_never_help_less_on_average) {
  const double two = mean_over_spines(2), four = mean_over_spines(4), eight = mean_over_spines(8);
  EXPECT_LT(four, two);
  EXPECT_LT(eight, four);
}

}  // namespace
}  // namespace pipewright::test
