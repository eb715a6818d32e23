#include "search/refinement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "eight_blocks.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Candidate start() {
  return {.tensor = 2,
          .pipeline = 2,
          .data = 2,
          .micro = 2,
          .zero = 1,
          .recompute = "full",
          .schedule = schedule_named("1f1b")};
}

// Chunks of 8 layers on 2 ranks: 2 or 4; micro-batches of 1 and 4; ZeRO 2 and 3; two ways to
// overlap; two things to offload, each with and without recomputation.
TEST(Refinement, steps_change_one_thing_each) {
  const config::Catalogue catalogue;
  std::vector<std::string> labels;
  for (const Candidate& c : steps_from(eight_blocks(catalogue), start()))
    labels.push_back(c.label());
  EXPECT_EQ(labels.size(), 12U);
  const auto has = [&](const char* part) {
    return std::ranges::count_if(
        labels, [&](const std::string& label) { return label.find(part) != std::string::npos; });
  };
  EXPECT_EQ(has("micro 1,"), 1);
  EXPECT_EQ(has("micro 4,"), 1);
  EXPECT_EQ(has("zero 3"), 1);
  EXPECT_EQ(has("overlap.tensor domino"), 1);
  EXPECT_EQ(has("offload optimizer"), 2);
  EXPECT_EQ(has("virtual: 4") + has("virtual 4"), 1);
}

TEST(Refinement, steps_keep_what_is_pinned) {
  const config::Catalogue catalogue;
  Problem problem = eight_blocks(catalogue);
  problem.experiment.find("batch")->set("micro", config::number(2));
  problem.pinned = {"batch.micro"};
  for (const Candidate& c : steps_from(problem, start())) EXPECT_EQ(c.micro, 2);
}

TEST(Refinement, ends_no_worse_than_it_began_and_where_no_step_is_better) {
  const config::Catalogue catalogue;
  const Problem problem = eight_blocks(catalogue);
  const Proposal first = simulated(problem, start());
  const Judged last = refined(problem, {first, start()});
  EXPECT_FALSE(better(problem, first, last.proposal));
  EXPECT_EQ(simulated(problem, last.candidate).iteration_time_s, last.proposal.iteration_time_s);
}

// It may be as fast and leave more memory, however few plans are listed.
TEST(Refinement, keeps_what_it_began_with) {
  const config::Catalogue catalogue;
  const Problem problem = eight_blocks(catalogue);
  const Proposal first = simulated(problem, start());
  const Judged last = refined(problem, {first, start()});
  ASSERT_NE(last.proposal.plan, first.plan);
  EXPECT_TRUE(std::ranges::count(last.proposal.runners_up, first.plan, &Proposal::plan) == 1);
}

}  // namespace
}  // namespace pipewright::search
