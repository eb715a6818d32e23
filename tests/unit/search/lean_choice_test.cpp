#include "search/lean_choice.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "config/value.hpp"

namespace pipewright::search {
namespace {

Proposal proposal(const std::string& plan, double time_s, double memory_bytes,
                  const std::string& recompute = "none") {
  Proposal one;
  one.planner = plan;
  one.plan = plan;
  one.experiment = config::parse("schedule: " + plan + "\nrecompute: " + recompute, "test");
  one.iteration_time_s = time_s;
  one.peak_memory_bytes = memory_bytes;
  one.feasible = one.satisfies = true;
  return one;
}

class LeanChoice : public testing::Test {
 protected:
  config::Catalogue catalogue;
  Problem problem{.experiment = {}, .catalogue = catalogue, .run = {}};
};

std::vector<std::string> names(const std::vector<Proposal>& plans) {
  std::vector<std::string> all;
  for (const Proposal& one : plans) all.push_back(one.plan);
  return all;
}

// Repeats of one run differ by more than half a per cent, and by less than three.
TEST_F(LeanChoice, puts_what_is_as_fast_in_the_order_of_memory) {
  std::vector<Proposal> plans = {proposal("a", 1, 70), proposal("b", 1.005, 40),
                                 proposal("c", 1.006, 50), proposal("d", 1.03, 10)};
  leanest_first(problem, plans);
  EXPECT_EQ(names(plans), (std::vector<std::string>{"b", "c", "a", "d"}));
}

TEST_F(LeanChoice, what_does_not_satisfy_stays_behind) {
  std::vector<Proposal> plans = {proposal("a", 1, 70), proposal("b", 1, 10)};
  plans[1].satisfies = false;
  leanest_first(problem, plans);
  EXPECT_EQ(names(plans), (std::vector<std::string>{"a", "b"}));
}

TEST_F(LeanChoice, the_same_with_more_work_stays_behind) {
  std::vector<Proposal> plans = {proposal("a", 1, 70), proposal("a", 1.005, 20, "full")};
  leanest_first(problem, plans);
  EXPECT_EQ(plans.front().peak_memory_bytes, 70);
}

TEST_F(LeanChoice, plans_that_are_not_asked_for_by_their_time_stay) {
  problem.goal = Goal::cost;
  std::vector<Proposal> plans = {proposal("a", 1, 70), proposal("b", 1, 10)};
  leanest_first(problem, plans);
  EXPECT_EQ(plans.front().plan, "a");
}

TEST_F(LeanChoice, a_planner_proposes_its_leanest_and_says_which_is_faster) {
  Proposal fastest = proposal("a", 1, 70);
  fastest.findings.search_s = 3;
  fastest.findings.estimate_s = 1.5;
  fastest.runners_up = {proposal("b", 1.005, 40), proposal("c", 1.1, 10)};
  choose_leanest(problem, fastest);
  EXPECT_EQ(fastest.plan, "b");
  ASSERT_TRUE(fastest.passed_over);
  EXPECT_EQ(fastest.passed_over->plan, "a");
  EXPECT_EQ(fastest.passed_over->peak_memory_bytes, 70);
  EXPECT_EQ(names(fastest.runners_up), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(fastest.findings.search_s, 3) << "what the search took is the planner's";
  EXPECT_FALSE(fastest.findings.estimate_s) << "an estimate is the plan's";
}

TEST_F(LeanChoice, of_several_planners_the_leanest_is_taken) {
  PlanResult result;
  result.proposals = {proposal("a", 1, 70), proposal("b", 1.005, 40), proposal("c", 2, 1)};
  result.best = 0;
  choose_leanest(problem, result);
  EXPECT_EQ(result.best, 1U);
  EXPECT_EQ(result.proposals[1].passed_over->plan, "a");
}

TEST_F(LeanChoice, the_fastest_that_is_leanest_passes_nothing_over) {
  PlanResult result;
  result.proposals = {proposal("a", 1, 40), proposal("b", 1.005, 70)};
  result.best = 0;
  choose_leanest(problem, result);
  EXPECT_EQ(result.best, 0U);
  EXPECT_FALSE(result.proposals[0].passed_over);
}

}  // namespace
}  // namespace pipewright::search
