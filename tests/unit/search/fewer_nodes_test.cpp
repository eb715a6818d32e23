#include "search/fewer_nodes.hpp"

#include <gtest/gtest.h>

#include "search/planner.hpp"
#include "unit/search/four_blocks.hpp"

namespace pipewright::search {
namespace {

// Nodes are counted up: what is found on the fewest is what is found where these are all there are,
// and on one less nothing is.
TEST(FewerNodes, the_fewest_nodes_keep_a_limit_that_one_less_does_not) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  *problem.experiment.find("cluster") = config::parse(
      "{node: dgx-a100-80g, nodes: 8, fabric: {kind: fat-tree, link: hdr, nics: 8}}", "x.yaml");
  problem.experiment.find("batch")->set("global", config::number(1024));
  const auto seconds_on = [&](int nodes) {
    Problem of_time = problem;
    of_time.experiment.find("cluster")->set("nodes", config::number(nodes));
    return plan(of_time, {"exhaustive"}).proposals[0].iteration_time_s.value_or(1e9);
  };
  const double most = (seconds_on(1) + seconds_on(2)) / 2;
  problem.limits = {{"iteration_time", most}};
  problem.goal = Goal::nodes;
  const PlanResult fewest = plan(problem, {"exhaustive"});
  ASSERT_TRUE(fewest.best);
  const Proposal& best = fewest.proposals[*fewest.best];
  EXPECT_EQ(best.nodes, 2);
  EXPECT_EQ(best.iteration_time_s, seconds_on(2));
  EXPECT_GT(seconds_on(1), most);
}

/// A job on up to 4 nodes of a price.
Problem priced_problem(const config::Catalogue& catalogue, int nodes) {
  Problem problem = four_blocks(catalogue);
  *problem.experiment.find("cluster") = config::parse(
      "{node: {base: dgx-a100-80g, price_per_hour: 32}, nodes: 4, "
      "fabric: {kind: fat-tree, link: hdr, nics: 8}}",
      "x.yaml");
  problem.experiment.find("cluster")->set("nodes", config::number(nodes));
  problem.experiment.find("batch")->set("global", config::number(256));
  return problem;
}

// Held against a search on each number of nodes by itself, for the least time: of nodes that cost
// alike the quickest plan is the cheapest.
TEST(FewerNodes, the_least_cost_is_the_least_over_all_numbers_of_nodes) {
  const config::Catalogue catalogue;
  double least = 1e9;
  for (int nodes = 1; nodes <= 4; ++nodes) {
    const Proposal one = plan(priced_problem(catalogue, nodes), {"megatron"}).proposals[0];
    if (one.satisfies) least = std::min(least, one.cost_usd.value_or(1e9));
  }
  Problem problem = priced_problem(catalogue, 4);
  problem.goal = Goal::cost;
  const PlanResult cheapest = plan(problem, {"megatron"});
  ASSERT_TRUE(cheapest.best);
  EXPECT_EQ(cheapest.proposals[*cheapest.best].cost_usd, least);
  EXPECT_LT(cheapest.proposals[*cheapest.best].nodes, 4) << "so little work is dear on all";
  EXPECT_EQ(cheapest.most_nodes, 4);
}

// Devices on one switch are no nodes to leave out.
TEST(FewerNodes, a_cluster_that_counts_no_nodes_is_tried_as_a_whole) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.experiment.find("cluster")->find("device")->set("price_per_hour", config::number(2));
  problem.goal = Goal::cost;
  const PlanResult result = plan(problem, {"megatron"});
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.most_nodes, 0);
  EXPECT_EQ(result.proposals[*result.best].devices, 8);
}

}  // namespace
}  // namespace pipewright::search
