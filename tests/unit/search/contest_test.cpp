// The best of candidates by few simulations is the best of all of them simulated.
#include <gtest/gtest.h>

#include <algorithm>

#include "eight_blocks.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

/// Every shape of 8 devices with two micro-batches and two ways to run again, by their estimates.
std::vector<Estimated> all_shapes(const Problem& problem) {
  std::vector<Candidate> candidates;
  for (const int tensor : {1, 2, 4, 8})
    for (const int pipeline : {1, 2, 4, 8})
      for (const int micro : {1, 2})
        for (const char* recompute : {"none", "full"})
          if (tensor * pipeline <= 8)
            candidates.push_back({.tensor = tensor,
                                  .pipeline = pipeline,
                                  .data = 8 / (tensor * pipeline),
                                  .micro = micro,
                                  .zero = 1,
                                  .recompute = recompute,
                                  .schedule = schedule_named("1f1b")});
  std::vector<Estimated> ordered = estimated(problem, candidates);
  std::ranges::stable_sort(ordered, {}, &Estimated::estimate);
  return ordered;
}

Proposal best_of_all_simulated(const Problem& problem, const std::vector<Estimated>& candidates) {
  std::vector<Proposal> all;
  for (const Estimated& one : candidates) all.push_back(simulated(problem, one.candidate));
  return *std::ranges::min_element(
      all, [&](const Proposal& a, const Proposal& b) { return better(problem, a, b); });
}

void expect_best(const Problem& problem) {
  const std::vector<Estimated> ordered = all_shapes(problem);
  const Proposal best = best_of_all_simulated(problem, ordered);
  const Proposal found = best_of(problem, ordered, ordered.size());
  EXPECT_EQ(found.satisfies, best.satisfies);
  EXPECT_EQ(found.iteration_time_s, best.iteration_time_s) << found.plan << ", " << best.plan;
}

TEST(Contest, finds_the_quickest_of_all) {
  const config::Catalogue catalogue;
  expect_best(eight_blocks(catalogue));
}

// Half of the candidates hold more than the limit, or all of them do.
TEST(Contest, finds_the_best_within_limits) {
  const config::Catalogue catalogue;
  Problem problem = eight_blocks(catalogue);
  std::vector<double> peaks;
  for (const Estimated& one : all_shapes(problem))
    peaks.push_back(simulated(problem, one.candidate).peak_memory_bytes);
  std::ranges::sort(peaks);
  problem.limits = {{"memory", peaks[peaks.size() / 2]}};
  expect_best(problem);
  problem.limits = {{"memory", peaks.front() / 2}};
  expect_best(problem);
}

TEST(Contest, does_not_depend_on_the_number_of_threads) {
  const config::Catalogue catalogue;
  Problem problem = eight_blocks(catalogue);
  const std::vector<Estimated> ordered = all_shapes(problem);
  const Proposal one = best_of(problem, ordered, 6);
  problem.jobs = 3;
  const Proposal three = best_of(problem, ordered, 6);
  EXPECT_EQ(one.plan, three.plan);
  EXPECT_EQ(one.iteration_time_s, three.iteration_time_s);
}

}  // namespace
}  // namespace pipewright::search
