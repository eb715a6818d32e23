// Identical ranks simulated once, on links that all of them share.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/experiments.hpp"
#include "support/small_gpts.hpp"

namespace pipewright::test {
namespace {

TEST(Folding, ranks_simulated_once_share_links_as_all_of_them_do) {
  int folded_rounds = 0, held_up = 0, held_up_folded = 0;
  for (uint64_t round = 0; round < 100; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_experiment(random);
    SCOPED_TRACE(text);
    config::Value flow = experiment(text), alone = experiment(text);
    flow.set("network", config::scalar("flow"));
    alone.set("network", config::scalar("alpha-beta"));
    const RunResult once = run(flow).result, all = run(flow, false).result;
    const RunResult never = run(alone).result;
    const bool folded = once.cost.events < all.cost.events;
    const bool slower = all.metrics.makespan > never.metrics.makespan;
    folded_rounds += folded;
    held_up += slower;
    held_up_folded += folded && slower;
    // A picosecond of rounding for each op that one may wait for.
    const double rounding = static_cast<double>(all.cost.events);
    ASSERT_NEAR(once.metrics.makespan.ps, all.metrics.makespan.ps, rounding);
    ASSERT_GE(all.metrics.makespan.ps + rounding, never.metrics.makespan.ps);
    ASSERT_GE(once.metrics.makespan, once.metrics.bounds.best());
    // The same sums, in another order.
    ASSERT_NEAR(once.metrics.bounds.cut.ps, all.metrics.bounds.cut.ps,
                1e-12 * all.metrics.bounds.cut.ps + 2);
    ASSERT_EQ(once.links.size(), all.links.size());
    for (size_t k = 0; k < all.links.size(); ++k)
      ASSERT_NEAR(once.links[k].busy_fraction, all.links[k].busy_fraction, 1e-9);
  }
  EXPECT_GT(folded_rounds, 10);
  EXPECT_GT(held_up, 20);
  EXPECT_GT(held_up_folded, 5);
}

// Pods of two nodes: the three replicas of either stage are on two pods, so that two of them share
// links that the third has to itself. By themselves all three take the same time.
TEST(Folding, replicas_on_unlike_links_do_not_stand_for_each_other) {
  config::Value document = experiment(
      "model: {transformer: {layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 6, fabric: {kind: fat-tree, link: eth-25, nics: 8,\n"
      "          switch_ports: 4, oversubscription: 2}}\n"
      "parallel: {tensor: 8, pipeline: 2, data: 3}\n"
      "batch: {global: 48, micro: 4, sequence: 1024}\n"
      "schedule: gpipe\n");
  const RunResult shared = run(document).result, all = run(document, false).result;
  document.set("network", config::scalar("alpha-beta"));
  const RunResult alone = run(document).result;
  EXPECT_GT(shared.cost.events, alone.cost.events);
  EXPECT_GT(shared.metrics.makespan, alone.metrics.makespan);
  EXPECT_EQ(shared.metrics.makespan, all.metrics.makespan);
}

// Pods of six nodes beside stages of sixteen replicas: where a stage begins in the midst of a pod,
// replicas there share it with another stage's. Few kinds of replicas do for all.
TEST(Folding, classes_of_replicas_are_as_large_as_links_allow) {
  int held_up = 0, folded = 0;
  for (const char* schedule : {"gpipe", "1f1b", "{name: interleaved-1f1b, virtual: 2}"}) {
    for (const char* overlap : {"true", "false"}) {
      SCOPED_TRACE(schedule);
      config::Value document = experiment(fmt::format(
          "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: "
          "1024}}}}\n"
          "cluster: {{node: dgx-a100-80g, nodes: 32, fabric: {{kind: fat-tree, link: eth-25, nics: "
          "8, switch_ports: 8, oversubscription: 3}}}}\n"
          "parallel: {{tensor: 8, pipeline: 2, data: 16}}\n"
          "batch: {{global: 64, micro: 1, sequence: 1024}}\n"
          "schedule: {}\n"
          "overlap: {{data: {}}}\n",
          schedule, overlap));
      const RunResult once = run(document).result, all = run(document, false).result;
      EXPECT_NEAR(once.metrics.makespan.ps, all.metrics.makespan.ps,
                  static_cast<double>(all.cost.events));
      // Tensor ranks are folded 8 to 1; replicas, too, if there are fewer ops than that explains.
      folded += once.cost.events * 8 < all.cost.events * 3 / 4;
      document.set("network", config::scalar("alpha-beta"));
      held_up += all.metrics.makespan > run(document).result.metrics.makespan;
    }
  }
  EXPECT_EQ(held_up, 6);
  EXPECT_EQ(folded, 6);
}

/// A mixture whose expert groups are blocks of consecutive replicas, with something amiss.
std::string some_mixture(std::mt19937_64& random) {
  const int tensor = one_of(random, {1, 2}), data = 32 / tensor;
  const int expert = tensor * one_of(random, {2, 4, 8});
  return fmt::format(
      "model: {{transformer: {{layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024,\n"
      "         experts: {{count: 16, active: 2, ffn: 512}}}}}}\n"
      "cluster: {{node: dgx-a100-80g, nodes: 8, fabric: {{kind: fat-tree, link: eth-25, nics: {},\n"
      "          switch_ports: {}, oversubscription: {}}}}}\n"
      "parallel: {{tensor: {}, pipeline: 2, data: {}, expert: {}, zero: {}}}\n"
      "batch: {{global: {}, micro: 1, sequence: 512}}\n"
      "schedule: {}\n"
      "precision: fp16\n"
      "overlap: {{p2p: {}, data: {}}}\n"
      "stragglers: [{}]\n",
      one_of(random, {2, 8}), one_of(random, {4, 8, 64}), one_of(random, {1, 2, 3}), tensor, data,
      expert, one_of(random, {0, 1}), 4 * data,
      one_of<const char*>(random, {"1f1b", "gpipe", "{name: interleaved-1f1b, virtual: 2}"}),
      one_of<const char*>(random, {"async", "sender"}), one_of(random, {"true", "false"}),
      one_of<std::string>(random, {"", fmt::format("{{device: {}, slowdown: 1.5}}", random() % 64),
                                   fmt::format("{{node: {}, slowdown: 1.2}}", random() % 8),
                                   fmt::format("{{link: \"{}>{}\", bandwidth: 0.5}}", random() % 8,
                                               8 + random() % 56)}));
}

TEST(Folding, blocks_of_replicas_that_experts_couple_are_simulated_once) {
  int folded = 0, unfolded = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_mixture(random);
    SCOPED_TRACE(text);
    const RunResult once = run(experiment(text)).result;
    const RunResult all = run(experiment(text), false).result;
    EXPECT_EQ(once.metrics.makespan.ps, all.metrics.makespan.ps);
    unfolded += once.cost.events == all.cost.events;
    folded += once.cost.events * 2 < all.cost.events;
    ASSERT_EQ(once.links.size(), all.links.size());
    for (size_t k = 0; k < all.links.size(); ++k)
      ASSERT_NEAR(once.links[k].busy_fraction, all.links[k].busy_fraction, 1e-9);
  }
  EXPECT_GT(folded, 30);
  EXPECT_LT(unfolded, 10);
}

}  // namespace
}  // namespace pipewright::test
