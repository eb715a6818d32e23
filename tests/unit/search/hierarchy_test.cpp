#include "search/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace pipewright::search {
namespace {

/// The least bottleneck by trying every way to cut links first..last over `m` components of level
/// `k` into stages, one after the other.
double least_bottleneck_by_trying(const std::vector<LinkCost>& chain,
                                  const std::vector<Level>& levels, size_t k, size_t first,
                                  size_t last, int m) {
  double best = std::numeric_limits<double>::infinity();
  for (size_t end = first; end <= last; ++end) {
    double alone = 0, weights = 0;
    for (size_t i = first; i <= end; ++i) alone += chain[i].seconds, weights += chain[i].weights;
    const double whole = k == 0 ? alone
                                : least_bottleneck_by_trying(chain, levels, k - 1, first, end,
                                                             levels[k - 1].components);
    for (int r = 1; r <= m; ++r) {
      const double stage = std::max(whole, 2 * (r - 1) * weights / levels[k].bandwidth) / r;
      if (end == last && r == m) best = std::min(best, stage);
      if (end == last || r == m) continue;
      const double sent = 2 * chain[end].output / levels[k].bandwidth;
      best = std::min(
          best, std::max({stage, sent,
                          least_bottleneck_by_trying(chain, levels, k, end + 1, last, m - r)}));
    }
  }
  return best;
}

std::vector<LinkCost> random_chain(std::mt19937& random, size_t links) {
  std::uniform_int_distribution<int> any(1, 20);
  std::vector<LinkCost> chain;
  for (size_t i = 0; i < links; ++i)
    chain.push_back({any(random) / 4.0, any(random) / 2.0, any(random) / 4.0});
  return chain;
}

TEST(HierarchicalPipeline, equals_trying_everything) {
  std::mt19937 random(7);
  for (size_t links = 1; links <= 5; ++links) {
    for (int inner = 1; inner <= 4; ++inner) {
      for (int outer = 1; outer <= 3; ++outer) {
        const std::vector<LinkCost> chain = random_chain(random, links);
        const std::vector<Level> levels = {{inner, 8}, {outer, 2}};
        EXPECT_DOUBLE_EQ(hierarchical_pipeline(chain, levels).bottleneck,
                         least_bottleneck_by_trying(chain, levels, 1, 0, links - 1, outer))
            << links << " links on " << outer << " x " << inner;
      }
    }
  }
}

// Every device works, none for two stages; every link is in one stage, in order.
TEST(HierarchicalPipeline, hands_out_every_device_and_every_link) {
  std::mt19937 random(11);
  for (int outer = 1; outer <= 4; ++outer) {
    const HierarchicalPlan plan =
        hierarchical_pipeline(random_chain(random, 6), {{4, 16}, {outer, 1}});
    std::multiset<int32_t> devices;
    int next = 0;
    for (const ReplicatedStage& stage : plan.stages) {
      EXPECT_EQ(stage.first, next);
      next = stage.last + 1;
      devices.insert(stage.devices.begin(), stage.devices.end());
    }
    EXPECT_EQ(next, 6);
    EXPECT_EQ(devices.size(), static_cast<size_t>(4 * outer));
    EXPECT_EQ(std::set(devices.begin(), devices.end()).size(), devices.size());
  }
}

// Three quarters of the work in one link, free communication: three of four devices replicate it.
TEST(HierarchicalPipeline, replicates_the_stage_that_takes_longest) {
  const HierarchicalPlan plan = hierarchical_pipeline({{3, 0, 0}, {1, 0, 0}}, {{4, 1}});
  EXPECT_DOUBLE_EQ(plan.bottleneck, 1);
}

// Weights so heavy that reducing them takes longer than all the work: no stage is replicated.
TEST(HierarchicalPipeline, does_not_replicate_what_is_heavy) {
  const HierarchicalPlan plan = hierarchical_pipeline({{1, 100, 0}, {1, 100, 0}}, {{2, 1}});
  EXPECT_DOUBLE_EQ(plan.bottleneck, 1);
  EXPECT_EQ(plan.stages, (std::vector<ReplicatedStage>{{0, 0, {0}}, {1, 1, {1}}}));
}

}  // namespace
}  // namespace pipewright::search
