#include "search/fewer_nodes.hpp"

#include <gtest/gtest.h>

#include <string>

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

/// Planners that find a plan on `least` nodes and more, and count how often they are asked.
struct Counted {
  int least = 1;
  int asked = 0;

  Ask ask() {
    return [this](const Problem& problem) {
      const int nodes = std::stoi(problem.experiment.find("cluster")->find("nodes")->text);
      ++asked;
      PlanResult result;
      result.proposals.resize(1);
      result.proposals[0].nodes = nodes;
      if (nodes >= least) result.best = 0;
      return result;
    };
  }
};

Problem large_problem(const config::Catalogue& catalogue) {
  Problem problem = four_blocks(catalogue);
  *problem.experiment.find("cluster") = config::parse(
      "{node: dgx-a100-80g, nodes: 96, fabric: {kind: fat-tree, link: hdr, nics: 8}}", "x.yaml");
  problem.experiment.find("batch")->set("global", config::number(1024));
  problem.goal = Goal::nodes;
  return problem;
}

// 96 numbers are halved seven times.
TEST(FewerNodes, planners_that_spare_nodes_are_asked_of_few_numbers) {
  const config::Catalogue catalogue;
  const Problem problem = large_problem(catalogue);
  for (const int least : {1, 2, 37, 48, 61, 95, 96}) {
    Counted counted{.least = least};
    const PlanResult result = fewest_nodes(problem, counted.ask(), {.spares = true});
    ASSERT_TRUE(result.best) << least;
    EXPECT_EQ(result.proposals[0].nodes, least);
    EXPECT_LE(counted.asked, 8) << least;
  }
}

TEST(FewerNodes, what_is_found_on_none_is_told_of_the_whole_cluster) {
  const config::Catalogue catalogue;
  Counted counted{.least = 97};
  const PlanResult result = fewest_nodes(large_problem(catalogue), counted.ask(), {.spares = true});
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.proposals[0].nodes, 96);
}

// A dearer plan on more nodes may be beyond a limit of cost that one on fewer keeps.
TEST(FewerNodes, others_are_asked_of_every_number) {
  const config::Catalogue catalogue;
  Problem problem = large_problem(catalogue);
  Counted filling{.least = 37};
  fewest_nodes(problem, filling.ask(), {});
  EXPECT_EQ(filling.asked, 37);
  problem.limits = {{"cost", 9}};
  Counted sparing{.least = 37};
  fewest_nodes(problem, sparing.ask(), {.spares = true});
  EXPECT_EQ(sparing.asked, 37);
}

// The batch of 1024 divides over the replicas of few of these numbers: plans leave nodes idle.
TEST(FewerNodes, halving_finds_what_counting_up_finds) {
  const config::Catalogue catalogue;
  Problem problem = large_problem(catalogue);
  problem.experiment.find("cluster")->set("nodes", config::number(7));
  const auto plans_on = [&](int nodes, double most) {
    Problem one = problem;
    one.experiment.find("cluster")->set("nodes", config::number(nodes));
    one.goal = Goal::time;
    one.limits = {{"iteration_time", most}};
    return plan(one, {"exhaustive"});
  };
  for (const int nodes : {2, 4, 5, 6}) {
    const double most = plans_on(nodes, 1e9).proposals[0].iteration_time_s.value_or(0);
    int first = 1;
    while (!plans_on(first, most).best) ++first;
    problem.limits = {{"iteration_time", most}};
    const PlanResult fewest = plan(problem, {"exhaustive"});
    ASSERT_TRUE(fewest.best);
    EXPECT_EQ(fewest.proposals[0].nodes, plans_on(first, most).proposals[0].nodes) << nodes;
  }
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

/// What `planner` finds on each number of nodes by itself, from 1 to 4.
std::vector<Proposal> on_each_number(const config::Catalogue& catalogue, const char* planner) {
  std::vector<Proposal> all;
  for (int nodes = 1; nodes <= 4; ++nodes)
    all.push_back(plan(priced_problem(catalogue, nodes), {planner}).proposals[0]);
  return all;
}

TEST(FewerNodes, the_quickest_under_a_limit_of_nodes_is_found_on_so_many) {
  const config::Catalogue catalogue;
  for (const char* planner : {"megatron", "exhaustive"}) {
    const std::vector<Proposal> each = on_each_number(catalogue, planner);
    Problem problem = priced_problem(catalogue, 4);
    problem.limits = {{"nodes", 2}};
    const PlanResult result = plan(problem, {planner});
    ASSERT_TRUE(result.best) << planner;
    const Proposal& best = result.proposals[*result.best];
    EXPECT_LE(best.nodes, 2);
    EXPECT_EQ(best.iteration_time_s, std::min(each[0].iteration_time_s, each[1].iteration_time_s));
  }
}

TEST(FewerNodes, what_is_too_dear_on_all_nodes_is_found_on_fewer) {
  const config::Catalogue catalogue;
  const std::vector<Proposal> each = on_each_number(catalogue, "megatron");
  double least = 1e9;
  for (const Proposal& one : each)
    if (one.satisfies) least = std::min(least, one.cost_usd.value_or(1e9));
  ASSERT_LT(least, each[3].cost_usd);
  Problem problem = priced_problem(catalogue, 4);
  problem.limits = {{"cost", (least + *each[3].cost_usd) / 2}};
  const PlanResult result = plan(problem, {"megatron"});
  ASSERT_TRUE(result.best);
  EXPECT_LE(result.proposals[*result.best].cost_usd, problem.limits[0].most);
}

TEST(FewerNodes, a_limit_of_time_looks_for_no_fewer) {
  const config::Catalogue catalogue;
  Problem problem = large_problem(catalogue);
  problem.goal = Goal::time;
  problem.limits = {{"iteration_time", 1}};
  Counted counted;
  quickest_within(problem, counted.ask(), {});
  EXPECT_EQ(counted.asked, 1);
  problem.limits = {{"nodes", 96}};
  quickest_within(problem, counted.ask(), {});
  EXPECT_EQ(counted.asked, 2);
}

TEST(FewerNodes, a_limit_that_no_number_keeps_is_told_of_the_whole_cluster) {
  const config::Catalogue catalogue;
  Problem problem = priced_problem(catalogue, 2);
  problem.limits = {{"nodes", 0.5}};
  const PlanResult result = plan(problem, {"megatron"});
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.proposals[0].reason, beyond(problem.limits[0], 2));
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
