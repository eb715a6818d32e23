#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "result/objectives.hpp"
#include "search/problem.hpp"
#include "study/parallel.hpp"

namespace pipewright::search {
namespace {

double value_of(const Proposal& proposal, std::string_view quantity) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (quantity == "iteration_time") return proposal.iteration_time_s.value_or(unknown);
  if (quantity == "time_to_train") return proposal.time_to_train_s.value_or(unknown);
  if (quantity == "memory") return proposal.peak_memory_bytes;
  if (quantity == "nodes") return proposal.nodes;
  return proposal.cost_usd.value_or(unknown);
}

double goal_of(const Problem& problem, const Proposal& proposal) {
  if (problem.goal == Goal::nodes) return proposal.nodes;
  if (problem.goal == Goal::cost) return value_of(proposal, "cost");
  return value_of(proposal, "iteration_time");
}

bool within_limits(const Problem& problem, const Proposal& proposal) {
  return std::all_of(problem.limits.begin(), problem.limits.end(), [&](const Limit& limit) {
    return value_of(proposal, limit.quantity) <= limit.most;
  });
}

/// Nodes that the plan's devices fill.
int nodes_of(const config::Value& experiment, const config::Catalogue& catalogue) {
  return given_by({.experiment = experiment, .catalogue = catalogue}).nodes;
}

}  // namespace

Proposal simulated(const Problem& problem, const Candidate& candidate) {
  Proposal proposal{.plan = candidate.label(), .experiment = experiment_of(problem, candidate)};
  try {
    const RunResult result =
        run_experiment(proposal.experiment, problem.catalogue, problem.run).result;
    proposal.iteration_time_s = in_seconds(result.metrics.iteration);
    proposal.peak_memory_bytes = objective_value(result, "peak_memory_bytes").value();
    proposal.feasible = result.feasible;
    proposal.time_to_train_s = result.time_to_train_s;
    proposal.cost_usd = result.cost_usd;
    proposal.nodes = nodes_of(proposal.experiment, problem.catalogue);
    proposal.satisfies =
        result.feasible && result.suits_devices && within_limits(problem, proposal);
    if (!result.feasible)
      proposal.reason = "does not fit in memory";
    else if (!proposal.satisfies)
      proposal.reason = "is beyond a limit";
  } catch (const Misfit& misfit) {
    proposal.reason = misfit.message();
  } catch (const Failure& failure) {
    proposal.reason = failure.what();
  }
  return proposal;
}

bool better(const Problem& problem, const Proposal& a, const Proposal& b) {
  if (a.satisfies != b.satisfies) return a.satisfies;
  // Of those that do not satisfy the one that comes nearest to fitting.
  if (!a.satisfies && a.feasible != b.feasible) return a.feasible;
  if (!a.satisfies && !a.feasible && a.peak_memory_bytes != b.peak_memory_bytes)
    return a.iteration_time_s && (!b.iteration_time_s || a.peak_memory_bytes < b.peak_memory_bytes);
  const double ours = goal_of(problem, a), theirs = goal_of(problem, b);
  if (ours != theirs) return ours < theirs;
  return value_of(a, "iteration_time") < value_of(b, "iteration_time");
}

namespace {

/// Of which `least` seconds are certain.
struct Contender {
  const Estimated* one;
  double least;
};

/// What each takes where nothing shares a link: never more than what it takes where links are
/// shared, quick to simulate, and of the same memory. In that order, without those that do not fit;
/// and of them the one that comes nearest.
std::vector<Contender> contenders(const Problem& problem, std::span<const Estimated> candidates,
                                  Proposal& nearest) {
  Problem alone = problem;
  alone.experiment.set("network", config::scalar("alpha-beta"));
  alone.limits.clear();
  std::vector<Proposal> proposals(candidates.size());
  in_parallel(candidates.size(), problem.jobs,
              [&](size_t i) { proposals[i] = simulated(alone, candidates[i].candidate); });
  std::vector<Contender> all;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Proposal& proposal = proposals[i];
    if (proposal.satisfies)
      all.push_back({&candidates[i], *proposal.iteration_time_s});
    else if (nearest.plan.empty() || better(alone, proposal, nearest))
      nearest = proposal;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Contender& a, const Contender& b) { return a.least < b.least; });
  return all;
}

}  // namespace

Proposal best_of(const Problem& problem, const std::vector<Estimated>& ordered, size_t most) {
  Proposal best;
  std::vector<Contender> all;
  for (size_t first = 0; first < ordered.size() && all.empty(); first += most) {
    const size_t count = std::min(most, ordered.size() - first);
    all = contenders(problem, std::span(ordered).subspan(first, count), best);
  }
  if (all.empty()) return best;
  best = {};
  // As many at a time as make no difference to what is passed over, whatever `jobs` is.
  constexpr size_t batch = 2;
  for (size_t first = 0; first < all.size(); first += batch) {
    std::vector<Proposal> proposals(std::min(batch, all.size() - first));
    const bool decided =
        best.satisfies && problem.goal != Goal::cost && all[first].least >= *best.iteration_time_s;
    if (decided) break;
    in_parallel(proposals.size(), problem.jobs, [&](size_t i) {
      const Estimated& one = *all[first + i].one;
      proposals[i] = simulated(problem, one.candidate);
      proposals[i].estimate_s = in_seconds(one.estimate);
    });
    for (Proposal& proposal : proposals)
      if (best.plan.empty() || better(problem, proposal, best)) best = std::move(proposal);
  }
  return best;
}

}  // namespace pipewright::search
