#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/emit.hpp"
#include "search/lean_choice.hpp"
#include "search/planner.hpp"
#include "search/space.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"
#include "unit/search/four_blocks.hpp"

namespace pipewright::search {
namespace {

using test::error_of;

// Nobody has a plan then, and all of them for this reason.
TEST(Plan, a_precision_that_no_device_has_is_named) {
  const config::Catalogue catalogue;
  EXPECT_EQ(error_of([&] { plan(four_blocks(catalogue, "precision: fp8\n"), {}); }),
            "x.yaml:2:10: error: device 'device' has no peak for the precision fp8; it has bf16");
}

TEST(Limit, is_read_with_its_unit) {
  const Limit limit = read_limit("time_to_train<=30d");
  EXPECT_EQ(limit.quantity, "time_to_train");
  EXPECT_EQ(limit.most, 30 * 86'400.0);
  EXPECT_EQ(read_limit("memory <= 70 GiB").most, 70.0 * (1 << 30));
}

TEST(Limit, that_cannot_be_says_what_would_be_right) {
  EXPECT_NE(error_of([] { read_limit("memory<70GiB"); }).find("<="), std::string::npos);
  EXPECT_NE(error_of([] { read_limit("memry<=70GiB"); }).find("did you mean 'memory'"),
            std::string::npos);
}

TEST(Limit, of_a_time_or_of_bytes_needs_a_unit) {
  EXPECT_NE(error_of([] { read_limit("memory<=70"); }).find("such as memory<=70GiB"),
            std::string::npos);
  EXPECT_NE(error_of([] { read_limit("iteration_time <= 2"); }).find("such as iteration_time<=2s"),
            std::string::npos);
  EXPECT_EQ(read_limit("nodes<=4").most, 4);
}

TEST(Search, says_which_limit_nothing_is_within) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue, "training: {tokens: 1B}\n");
  problem.limits = {read_limit("time_to_train<=1s")};
  const PlanResult result = plan(problem, {"exhaustive"});
  EXPECT_FALSE(result.best);
  EXPECT_TRUE(result.proposals[0].reason.starts_with("time_to_train is "));
  EXPECT_TRUE(result.proposals[0].reason.ends_with(", more than 1 s"));
}

// 64 MiB hold no eighth of the weights of any plan.
TEST(Search, tells_what_comes_nearest_where_no_weights_fit) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.experiment.find("cluster")->find("device")->set("memory", config::scalar("64 MiB"));
  const PlanResult result = plan(problem, {"exhaustive"});
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.proposals[0].reason, "does not fit in memory");
  EXPECT_GT(result.proposals[0].peak_memory_bytes, 64.0 * (1 << 20));
}

// A limit that nothing keeps changes what is asked of a plan, not which is the quickest.
TEST(Search, what_comes_nearest_to_a_limit_of_time_is_the_quickest) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  const Proposal quickest = plan(problem, {"exhaustive"}).proposals[0];
  problem.limits = {read_limit("iteration_time<=1us")};
  const Proposal nearest = plan(problem, {"exhaustive"}).proposals[0];
  EXPECT_FALSE(nearest.satisfies);
  EXPECT_EQ(nearest.plan, quickest.plan);
  EXPECT_EQ(nearest.iteration_time_s, quickest.iteration_time_s);
}

// What is simulated for a plan of chips that vary is what 'simulate' has as the median.
TEST(Search, plans_for_chips_that_vary_are_judged_by_the_median_draw) {
  const config::Catalogue catalogue;
  const Problem problem = four_blocks(catalogue, "variation: {compute_spread: 10%, seeds: 5}\n");
  const PlanResult result = plan(problem, {"megatron"});
  ASSERT_TRUE(result.best);
  const Proposal& best = result.proposals[*result.best];
  const RunResult run = test::run(best.experiment.value()).result;
  EXPECT_EQ(best.seeds, 5);
  EXPECT_EQ(best.iteration_time_s, in_seconds(run.ranges.variation.value().p50));
  EXPECT_NE(best.iteration_time_s, in_seconds(run.metrics.iteration));
}

TEST(Search, a_time_to_train_needs_tokens) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.limits = {read_limit("time_to_train<=30d")};
  EXPECT_NE(error_of([&] { plan(problem, {"exhaustive"}); }).find("training.tokens"),
            std::string::npos);
}

// 16 heads and 8 devices: tensor 1, 2, 4 or 8; at most as many stages as blocks; batches divide.
TEST(Space, keeps_to_the_rules) {
  const config::Catalogue catalogue;
  const std::vector<Candidate> all = megatron_space(four_blocks(catalogue));
  ASSERT_FALSE(all.empty());
  for (const Candidate& c : all) {
    EXPECT_EQ(8, c.tensor * c.pipeline * c.data);
    EXPECT_EQ(8 % (c.data * c.micro), 0);
    EXPECT_LE(c.pipeline, 4);
    EXPECT_EQ(c.zero, c.data > 1);
  }
}

// One rank has nothing to interleave.
// What Megatron-Core runs again at little cost: of a plain block the attention core and the norms.
TEST(Space, runs_again_all_that_takes_little) {
  const config::Catalogue catalogue;
  std::set<std::string> plain, latent;
  for (const Candidate& c : whole_space(four_blocks(catalogue))) plain.insert(c.recompute);
  EXPECT_EQ(plain, (std::set<std::string>{"none", "selective", "full",
                                          "{modules: [core_attn, layernorm]}"}));
  const Problem deepseek{.experiment = test::experiment("model: {base: deepseek-v3, layers: 4}\n"
                                                        "cluster: {node: dgx-h100, nodes: 1}\n"
                                                        "batch: {global: 8}\nschedule: 1f1b\n"),
                         .catalogue = catalogue,
                         .run = {}};
  for (const Candidate& c : whole_space(deepseek)) latent.insert(c.recompute);
  EXPECT_TRUE(latent.contains("{modules: [core_attn, moe_act, layernorm, mla_up_proj]}"));
}

TEST(Space, a_list_of_modules_is_what_an_experiment_says) {
  const config::Catalogue catalogue;
  const Problem problem = four_blocks(catalogue);
  const Candidate c{.recompute = "{modules: [core_attn, layernorm]}",
                    .schedule = schedule_named("1f1b")};
  EXPECT_NE(c.label().find("recompute core_attn+layernorm"), std::string::npos) << c.label();
  const config::Value experiment = experiment_of(problem, c);
  EXPECT_EQ(experiment.find("recompute")->find("modules")->items.size(), 2U);
}

TEST(Space, interleaves_pipelines_alone) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.schedules = {schedule_named("{name: interleaved-1f1b, virtual: 2}"),
                       schedule_named("1f1b")};
  size_t plain = 0;
  for (const Candidate& c : megatron_space(problem)) {
    if (c.pipeline > 1) continue;
    EXPECT_NE(c.label().find("1f1b"), std::string::npos);
    EXPECT_EQ(c.label().find("interleaved"), std::string::npos) << c.label();
    ++plain;
  }
  EXPECT_GT(plain, 0u);
}

TEST(Space, a_pinned_partition_is_called_so) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  config::set_path(problem.experiment, "partition=[1, 3]");
  problem.pinned = {"partition"};
  for (const Candidate& c : megatron_space(problem))
    EXPECT_NE(c.label().find("layers as pinned"), std::string::npos) << c.label();
}

TEST(Search, finds_the_best_of_all) {
  const config::Catalogue catalogue;
  const Problem problem = four_blocks(catalogue);
  double best = 1e9;
  for (const Estimated& one : estimated(problem, whole_space(problem))) {
    const Proposal proposal = simulated(problem, one.candidate);
    if (proposal.satisfies) best = std::min(best, *proposal.iteration_time_s);
  }
  const PlanResult result = plan(problem, {"exhaustive"});
  ASSERT_TRUE(result.best);
  EXPECT_LE(*result.proposals[*result.best].iteration_time_s, best * as_fast());
}

// A smaller batch than there are devices leaves some idle; 9 devices are no worse than 8.
TEST(Search, may_leave_devices_idle) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  const double eight = *plan(problem, {"exhaustive"}).proposals[0].iteration_time_s;
  problem.experiment.find("cluster")->set("devices", config::number(9));
  const PlanResult nine = plan(problem, {"exhaustive"});
  ASSERT_TRUE(nine.best);
  EXPECT_LE(*nine.proposals[0].iteration_time_s, eight * as_fast());
  EXPECT_EQ(nine.devices, 9);
  EXPECT_LE(nine.proposals[0].devices, 9);
}

// Planners share what they simulate; what each proposes does not depend on the others.
TEST(Search, proposes_the_same_alone_and_beside_others) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.limits = {read_limit("memory<=300 MiB")};
  for (const Proposal& beside : plan(problem, {}).proposals) {
    const Proposal alone = plan(problem, {beside.planner}).proposals.front();
    EXPECT_EQ(alone.plan, beside.plan) << beside.planner;
    EXPECT_EQ(alone.iteration_time_s, beside.iteration_time_s) << beside.planner;
    EXPECT_EQ(alone.peak_memory_bytes, beside.peak_memory_bytes) << beside.planner;
    EXPECT_EQ(alone.satisfies, beside.satisfies) << beside.planner;
    EXPECT_EQ(alone.reason, beside.reason) << beside.planner;
    EXPECT_EQ(config::to_yaml(alone.experiment), config::to_yaml(beside.experiment))
        << beside.planner;
  }
}

// The best of the list is the answer, and each that follows is no better.
TEST(Search, lists_as_many_as_are_asked_for) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.keep = 5;
  const PlanResult result = plan(problem, {"exhaustive", "megatron"});
  ASSERT_EQ(result.top.size(), 5U);
  EXPECT_EQ(result.top[0].iteration_time_s, result.proposals[*result.best].iteration_time_s);
  for (size_t k = 1; k < result.top.size(); ++k) {
    EXPECT_LE(*result.top[k - 1].iteration_time_s, *result.top[k].iteration_time_s * as_fast());
    EXPECT_NE(result.top[k].plan, result.top[k - 1].plan);
  }
}

TEST(Search, what_is_written_simulates_to_what_was_printed) {
  const config::Catalogue catalogue;
  for (const Proposal& proposal : plan(four_blocks(catalogue), {}).proposals) {
    if (!proposal.iteration_time_s) continue;
    const config::Value again = config::parse(config::to_yaml(proposal.experiment), "best.yaml");
    EXPECT_EQ(in_seconds(test::run(again).result.metrics.iteration), *proposal.iteration_time_s)
        << proposal.planner;
  }
}

TEST(Search, a_limit_is_kept) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  const PlanResult free = plan(problem, {"exhaustive"});
  const double most = 0.9 * free.proposals[*free.best].peak_memory_bytes;
  problem.limits = {{"memory", most}};
  const PlanResult leaner = plan(problem, {"exhaustive"});
  ASSERT_TRUE(leaner.best);
  EXPECT_LE(leaner.proposals[*leaner.best].peak_memory_bytes, most);
  EXPECT_GE(leaner.proposals[*leaner.best].iteration_time_s,
            free.proposals[*free.best].iteration_time_s);
  problem.limits = {read_limit("memory<=1MiB")};
  EXPECT_FALSE(plan(problem, {"exhaustive"}).best);
}

/// Though only one is asked for to be simulated, something is found that takes at most `most_mib`.
void expect_found_within(Problem problem, double most_mib) {
  problem.simulations = 1;
  const PlanResult result = plan(problem, {"exhaustive"});
  ASSERT_TRUE(result.best) << result.proposals[0].reason;
  EXPECT_LE(result.proposals[*result.best].peak_memory_bytes, most_mib * (1 << 20));
}

// The first by closed form need the most memory; one that fits is found all the same.
TEST(Search, goes_on_until_something_fits) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.experiment.find("cluster")->find("device")->set("memory", config::scalar("900 MiB"));
  expect_found_within(problem, 900);
}

// So it is with what a limit leaves of the memory: the first by closed form takes 379 MiB.
TEST(Search, goes_on_until_something_is_within_a_limit_of_memory) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.limits = {read_limit("memory<=300 MiB")};
  expect_found_within(problem, 300);
}

// Nothing has weights so small: what holds least is simulated all the same.
TEST(Search, what_comes_nearest_to_a_limit_of_memory_is_told) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.limits = {read_limit("memory<=1MiB")};
  const PlanResult result = plan(problem, {"exhaustive"});
  EXPECT_FALSE(result.best);
  double least = 1e18;
  for (const Estimated& one : estimated(problem, megatron_space(problem))) {
    const Proposal proposal = simulated(problem, one.candidate);
    if (proposal.iteration_time_s) least = std::min(least, proposal.peak_memory_bytes);
  }
  EXPECT_LE(result.proposals[0].peak_memory_bytes, least);
}

TEST(Better, of_what_is_beyond_a_limit_of_memory_is_what_takes_less_of_it) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.limits = {{"memory", 5}};
  Proposal lean{.iteration_time_s = 2, .peak_memory_bytes = 10, .feasible = true};
  Proposal quick{.iteration_time_s = 1, .peak_memory_bytes = 20, .feasible = true};
  EXPECT_TRUE(better(problem, lean, quick));
  EXPECT_FALSE(better(problem, quick, lean));
  problem.limits = {{"iteration_time", 0.5}};
  EXPECT_TRUE(better(problem, quick, lean));
}

// Hybrid sharding is of weights that are cut: plans without have whole copies.
TEST(Search, plans_keep_copies_of_cut_weights_where_they_divide) {
  const config::Catalogue catalogue;
  const Problem problem =
      four_blocks(catalogue, "parallel: {data: 8, zero: 3, replicate: 2, reshard: false}\n");
  const auto says = [&](const Candidate& c, const char* key) {
    Candidate one = c;
    one.schedule = config::parse("1f1b", "x.yaml");
    const config::Value experiment = experiment_of(problem, one);
    read_experiment(resolve(experiment, catalogue));
    return experiment.find("parallel")->find(key) != nullptr;
  };
  EXPECT_TRUE(says({.data = 8, .zero = 3}, "replicate"));
  EXPECT_TRUE(says({.data = 8, .zero = 3}, "reshard"));
  EXPECT_FALSE(says({.data = 5, .zero = 3}, "replicate"));
  EXPECT_FALSE(says({.data = 2, .zero = 3}, "replicate")) << "nothing is left to cut over";
  EXPECT_FALSE(says({.data = 8, .zero = 2}, "replicate"));
  EXPECT_FALSE(says({.data = 8, .zero = 2}, "reshard"));
  EXPECT_TRUE(plan(problem, {"exhaustive"}).best);
}

TEST(Search, a_cost_needs_a_price) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.limits = {read_limit("cost<=9")};
  const auto error = [&] { return error_of([&] { plan(problem, {"exhaustive"}); }); };
  EXPECT_NE(error().find("x.yaml:2:10: error: a cost needs a price_per_hour"), std::string::npos);
  problem.limits.clear();
  problem.goal = Goal::cost;
  EXPECT_NE(error().find("price_per_hour"), std::string::npos);
  problem.experiment.find("cluster")->find("device")->set("price_per_hour", config::number(2));
  EXPECT_EQ(error(), "no error");
}

TEST(Search, does_not_depend_on_the_number_of_jobs) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  const PlanResult one = plan(problem, {"exhaustive"});
  problem.jobs = 4;
  EXPECT_EQ(plan(problem, {"exhaustive"}).proposals[0].plan, one.proposals[0].plan);
}

// What a frontier's point promises no plan goes below in both time and memory, whoever made it.
TEST(Search, no_answer_is_below_the_frontier) {
  const config::Catalogue catalogue;
  const PlanResult result = plan(four_blocks(catalogue), {});
  const auto tracked = std::ranges::find_if(
      result.proposals, [](const Proposal& p) { return !p.findings.frontier.empty(); });
  ASSERT_NE(tracked, result.proposals.end());
  for (const Proposal& proposal : result.proposals) {
    // The exhaustive search shares out and offloads what the frontier knows nothing of.
    if (!proposal.iteration_time_s || proposal.planner == "exhaustive") continue;
    const bool above =
        std::ranges::any_of(tracked->findings.frontier, [&](const TimeAndMemory& point) {
          return point.time_s <= *proposal.iteration_time_s &&
                 point.memory_bytes <= proposal.peak_memory_bytes;
        });
    EXPECT_TRUE(above) << proposal.planner << ": " << proposal.plan;
  }
}

TEST(Search, every_planner_says_what_it_expects) {
  const config::Catalogue catalogue;
  for (const Proposal& proposal : plan(four_blocks(catalogue), {}).proposals)
    EXPECT_TRUE(!proposal.iteration_time_s || proposal.findings.estimate_s) << proposal.planner;
}

TEST(Search, the_batch_must_be_given) {
  const config::Catalogue catalogue;
  Problem problem = four_blocks(catalogue);
  problem.experiment.set("batch", config::parse("{micro: 1, sequence: 512}", "x.yaml"));
  EXPECT_NE(error_of([&] { plan(problem, {}); }).find("batch.global"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::search
