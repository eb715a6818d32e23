#include "search/frontier_claim.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "search/planner.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::search {
namespace {

Problem problem(const config::Catalogue& catalogue) {
  return {.experiment = test::experiment(
              "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: "
              "32768}}\n"
              "cluster: {devices: 4, device: {flops: {bf16: 312 TFLOP/s}, memory: 80 GiB, "
              "memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 100 GB/s}}\n"
              "batch: {global: 16, sequence: 512}\nschedule: 1f1b\n"),
          .catalogue = catalogue,
          .run = {},
          .limits = {},
          .schedules = {},
          .jobs = 2};
}

// A case for every other planner with a synchronous answer, each with the point that holds it best:
// no point is both quicker and smaller by more than the ratio says.
TEST(FrontierClaim, every_other_planner_is_held_against_the_frontier) {
  const config::Catalogue catalogue;
  const Problem asked = problem(catalogue);
  const std::vector<ClaimCase> cases = frontier_against_all(asked, "tensoropt");
  const PlanResult all = plan(asked, {});
  const auto answers = std::ranges::count_if(all.proposals, [](const Proposal& p) {
    return p.satisfies && p.synchronous && p.planner != "tensoropt";
  });
  ASSERT_EQ(static_cast<std::ptrdiff_t>(cases.size()), answers);
  const auto tracked = std::ranges::find(all.proposals, "tensoropt", &Proposal::planner);
  for (const ClaimCase& one : cases) {
    const auto answer = std::ranges::find(all.proposals, one.name, &Proposal::planner);
    ASSERT_NE(answer, all.proposals.end());
    ASSERT_TRUE(one.ratio) << one.name;
    EXPECT_EQ(one.baseline, answer->plan);
    bool held = false;
    for (const TimeAndMemory& point : tracked->findings.simulated_frontier) {
      const bool quick = point.time_s * *one.ratio <= *answer->iteration_time_s * (1 + 1e-9);
      const bool small = point.memory_bytes * *one.ratio <= answer->peak_memory_bytes * (1 + 1e-9);
      held = held || (quick && small);
    }
    EXPECT_TRUE(held) << one.name;
  }
}

TEST(FrontierClaim, a_planner_without_a_frontier_is_refused) {
  const config::Catalogue catalogue;
  const std::string error =
      test::error_of([&] { frontier_against_all(problem(catalogue), "megatron"); });
  EXPECT_NE(error.find("no planner that looks for a frontier"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::search
