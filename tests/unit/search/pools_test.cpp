#include "search/pools.hpp"

#include <gtest/gtest.h>

#include "search/planner.hpp"
#include "support/experiments.hpp"

namespace pipewright::search {
namespace {

using Pool = std::vector<int32_t>;

std::string group(const char* flops, int nodes) {
  return std::string("{node: {device: {flops: {bf16: ") + flops +
         "}, memory: 80 GiB, memory_bandwidth: 2 TB/s}, devices: 2, interconnect: {kind: "
         "full-mesh, link: nvlink3}}, nodes: " +
         std::to_string(nodes) + "}";
}

Problem on(const config::Catalogue& catalogue, const std::string& groups) {
  return {.experiment = test::experiment(
              "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, "
              "vocabulary: 32768}}\n"
              "cluster: {groups: [" +
              groups +
              "], fabric: {kind: star, link: eth-10}}\n"
              "batch: {global: 16, sequence: 256}\nschedule: 1f1b\n"),
          .catalogue = catalogue,
          .simulations = 50,
          .jobs = 1};
}

const std::string quick = group("300 TFLOP/s", 1), slow = group("10 TFLOP/s", 1);

TEST(Pools, of_devices_that_are_alike_are_all_of_them) {
  const config::Catalogue catalogue;
  EXPECT_EQ(pools(on(catalogue, quick)), std::vector<Pool>{{}});
  EXPECT_EQ(pools(on(catalogue, quick + ", " + quick)), std::vector<Pool>{{}});
}

// Devices 0 and 1 are quick, 2 and 3 slow: all, each kind alone, and the slow ones first.
TEST(Pools, of_two_kinds_are_each_alone_and_both_orders) {
  const config::Catalogue catalogue;
  EXPECT_EQ(pools(on(catalogue, quick + ", " + slow)),
            (std::vector<Pool>{{}, {0, 1}, {2, 3}, {2, 3, 0, 1}}));
}

TEST(Pools, keep_a_placement_that_is_pinned) {
  const config::Catalogue catalogue;
  Problem problem = on(catalogue, quick + ", " + slow);
  problem.experiment.set("placement", config::scalar("dp-tp-cp-ep-pp"));
  problem.pinned = {"placement"};
  EXPECT_EQ(pools(problem), std::vector<Pool>{{}});
}

TEST(Pools, number_devices_from_nought) {
  const config::Catalogue catalogue;
  Problem problem = on(catalogue, quick + ", " + slow);
  EXPECT_EQ(number_in_cluster(problem, 1), 1);
  problem.pool = {2, 3};
  EXPECT_EQ(number_in_cluster(problem, 1), 3);
  EXPECT_EQ(given_by(problem).devices, 2);
  EXPECT_TRUE(given_by(problem).alike);
}

double best_time(const Problem& problem) {
  const PlanResult result = plan(problem, {"exhaustive"});
  return result.best ? *result.proposals[*result.best].iteration_time_s : 1e9;
}

// Thirty times slower devices behind a slow network only hold the others up.
TEST(Pools, let_a_plan_leave_devices_out_that_hold_it_up) {
  const config::Catalogue catalogue;
  const double alone = best_time(on(catalogue, quick));
  const PlanResult both = plan(on(catalogue, slow + ", " + quick), {"exhaustive"});
  ASSERT_TRUE(both.best);
  const Proposal& best = both.proposals[*both.best];
  EXPECT_LE(*best.iteration_time_s, alone * (1 + 1e-9));
  EXPECT_EQ(best.devices, 2);
  EXPECT_EQ(both.devices, 4);
}

TEST(Pools, make_the_order_of_groups_no_matter) {
  const config::Catalogue catalogue;
  const std::string other = group("200 TFLOP/s", 1);
  EXPECT_EQ(best_time(on(catalogue, quick + ", " + other)),
            best_time(on(catalogue, other + ", " + quick)));
}

}  // namespace
}  // namespace pipewright::search
