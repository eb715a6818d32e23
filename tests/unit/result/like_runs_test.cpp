#include "result/like_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "result/likeness.hpp"

namespace pipewright {
namespace {

const Regime on_four_nodes{.framework = "megatron",
                           .device = "h100-sxm",
                           .precision = "bf16",
                           .nodes = 4,
                           .datasheet = 0.1,
                           .exposed = 0.1};

/// The share of the weight of runs whose predictions were off by less than `most`, and by at most
/// that.
std::pair<double, double> shares_within(const Regime& regime, double most) {
  const auto weights = group_weights(published_residuals());
  double less = 0, within = 0, all = 0;
  for (const ResidualRow& row : published_residuals()) {
    const double weight = weights.at(row.group) * likeness(regime, row);
    const double error = std::abs(1 / row.slower - 1);
    all += weight;
    within += error <= most ? weight : 0;
    less += error < most ? weight : 0;
  }
  return {less / all, within / all};
}

TEST(LikeRuns, half_are_within_what_is_said) {
  const auto [less, within] = shares_within(on_four_nodes, like_runs(on_four_nodes).half_within);
  EXPECT_LT(less, 0.5);
  EXPECT_GE(within, 0.5);
}

TEST(LikeRuns, the_likest_are_three_groups_of_the_table) {
  std::set<std::string_view> all, named;
  for (const ResidualRow& row : published_residuals()) all.insert(row.group);
  for (const LikeGroup& group : like_runs(on_four_nodes).likest) {
    EXPECT_TRUE(all.contains(group.name));
    named.insert(group.name);
  }
  EXPECT_EQ(named.size(), 3u);
}

// A group's median lies among the errors of its runs, whatever they weigh.
TEST(LikeRuns, the_error_of_a_group_is_one_of_its_runs) {
  for (const LikeGroup& group : like_runs(on_four_nodes).likest) {
    bool found = false;
    for (const ResidualRow& row : published_residuals())
      found =
          found || (row.group == group.name && std::abs(1 / row.slower - 1 - group.error) < 1e-9);
    EXPECT_TRUE(found) << group.name;
  }
}

// Half of a time that waits for a network over 64 nodes is known less well.
TEST(LikeRuns, far_jobs_were_predicted_less_well) {
  Regime far = on_four_nodes;
  far.nodes = 64;
  far.exposed = 0.6;
  EXPECT_GT(like_runs(far).half_within, like_runs(on_four_nodes).half_within);
}

TEST(LikeRuns, nobody_published_runs_of_given_times) {
  EXPECT_TRUE(like_runs({.framework = "given"}).text().empty());
}

TEST(LikeRuns, the_text_tells_fast_from_slow) {
  const LikeRuns runs{.half_within = 0.04, .likest = {{"a", -0.031}, {"b", 0.12}, {"c", 0.001}}};
  EXPECT_EQ(
      runs.text(),
      "half of them were predicted within 4 %. The most alike are a (predicted 3 % too fast), "
      "b (predicted 12 % too slow), c (predicted as measured)");
}

}  // namespace
}  // namespace pipewright
