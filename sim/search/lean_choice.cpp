#include "search/lean_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "config/same_but_for.hpp"
#include "result/best_probability.hpp"
#include "result/likeness.hpp"

namespace pipewright::search {
namespace {

/// Tells whether the same job with less work is among those that are faster.
bool works_in_vain(const Proposal& one, std::span<const Proposal> faster) {
  return std::ranges::any_of(faster, [&](const Proposal& other) {
    return config::same_but_for(one.experiment, other.experiment, "recompute");
  });
}

void sort_by_memory(std::span<Proposal> alike) {
  std::vector<std::pair<bool, Proposal>> keyed;
  for (size_t i = 0; i < alike.size(); ++i)
    keyed.emplace_back(works_in_vain(alike[i], alike.first(i)), alike[i]);
  std::ranges::stable_sort(keyed, {}, [](const auto& one) {
    return std::tuple(one.first, one.second.memory_share, one.second.peak_memory_bytes);
  });
  for (size_t i = 0; i < alike.size(); ++i) alike[i] = std::move(keyed[i].second);
}

PassedOver as_passed_over(const Proposal& one) {
  return {one.plan, one.iteration_time_s.value_or(0), one.peak_memory_bytes};
}

}  // namespace

double as_fast() {
  // Where shared_ranks() is sure: four to one.
  constexpr double odds = 0.8416;
  return std::exp(odds * std::sqrt(2.0) * repeat_deviation);
}

void leanest_first(const Problem& problem, std::vector<Proposal>& plans) {
  if (problem.goal != Goal::time) return;
  std::vector<std::optional<double>> times;
  for (const Proposal& one : plans)
    times.push_back(one.satisfies ? one.iteration_time_s : std::nullopt);
  const std::vector<int> ranks = shared_ranks(times, repeat_deviation);
  for (size_t first = 0, last = 0; first < plans.size(); first = last) {
    while (last < plans.size() && ranks[last] == ranks[first]) ++last;
    if (ranks[first] > 0) sort_by_memory(std::span(plans).subspan(first, last - first));
  }
}

void choose_leanest(const Problem& problem, Proposal& fastest) {
  if (!fastest.satisfies || fastest.runners_up.empty()) return;
  std::vector<Proposal> all = std::exchange(fastest.runners_up, {});
  all.insert(all.begin(), std::move(fastest));
  const PassedOver first = as_passed_over(all.front());
  PlannerFindings findings = all.front().findings;
  leanest_first(problem, all);
  fastest = std::move(all.front());
  all.erase(all.begin());
  findings.estimate_s = fastest.findings.estimate_s;
  fastest.findings = std::move(findings);
  if (fastest.plan != first.plan) fastest.passed_over = first;
  fastest.runners_up = std::move(all);
}

void choose_leanest(const Problem& problem, PlanResult& result) {
  if (!result.best) return;
  std::vector<Proposal> all;
  for (const Proposal& one : result.proposals)
    if (one.satisfies) all.push_back(one);
  std::ranges::stable_sort(
      all, [&](const Proposal& a, const Proposal& b) { return better(problem, a, b); });
  const Proposal fastest = all.front();
  leanest_first(problem, all);
  const auto its = std::ranges::find(result.proposals, all.front().planner, &Proposal::planner);
  if (its->plan != fastest.plan)
    its->passed_over = fastest.passed_over.value_or(as_passed_over(fastest));
  result.best = static_cast<size_t>(its - result.proposals.begin());
}

}  // namespace pipewright::search
