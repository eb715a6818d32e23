#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/required.hpp"
#include "result/objectives.hpp"
#include "result/typical_time.hpp"
#include "search/known_runs.hpp"
#include "search/problem.hpp"
#include "search/proposal_values.hpp"
#include "simulate/quick_run.hpp"

namespace pipewright::search {
namespace {

double goal_of(const Problem& problem, const Proposal& proposal) {
  if (problem.goal == Goal::nodes) return proposal.nodes;
  if (problem.goal == Goal::cost) return value_of(proposal, "cost");
  return value_of(proposal, "iteration_time");
}

/// Returns the first limit that it is beyond; null where it is within all.
const Limit* exceeded(const Problem& problem, const Proposal& proposal) {
  const auto found = std::ranges::find_if(problem.limits, [&](const Limit& limit) {
    return !(value_of(proposal, limit.quantity) <= limit.most);
  });
  return found == problem.limits.end() ? nullptr : &*found;
}

/// Returns the nodes that the run's devices stand in.
int nodes_of(const Problem& problem, const RunResult& result) {
  std::set<int> nodes;
  for (const RankResult& rank : result.metrics.ranks)
    for (const int32_t device : rank.devices)
      nodes.insert(problem.node_of.empty() ? 0 : problem.node_of[static_cast<size_t>(device)]);
  return static_cast<int>(nodes.size());
}

/// Returns what a run gave, whatever limits there are: `satisfies` says whether it can be.
Proposal run_of(const Problem& problem, const config::Value& experiment) {
  Proposal proposal;
  if (problem.refusal) {
    if (const auto why = problem.refusal(experiment)) {
      proposal.reason = *why;
      return proposal;
    }
  }
  try {
    const RunResult result = run_quickly(experiment, problem.catalogue, problem.run);
    proposal.iteration_time_s = in_seconds(typical_time(result));
    proposal.seeds = seeds_of(result);
    proposal.range = typical_range(result);
    proposal.peak_memory_bytes =
        required(objective_value(result, "peak_memory_bytes"), "every result has it");
    proposal.feasible = result.fit.feasible;
    proposal.synchronous = result.synchronous;
    if (result.fit.device_memory)
      proposal.memory_share = static_cast<double>(result.fit.fullest.count) /
                              static_cast<double>(result.fit.device_memory->count);
    proposal.time_to_train_s = typical_time_to_train_s(result);
    proposal.cost_usd = objective_value(result, "cost_usd");
    proposal.nodes = nodes_of(problem, result);
    for (const BusyDevices& busy : result.metrics.busy)
      proposal.devices += static_cast<int>(busy.count);
    proposal.satisfies = result.fit.feasible && result.fit.suits_devices;
  } catch (const Misfit& misfit) {
    proposal.reason = misfit.message();
  } catch (const Failure& failure) {
    proposal.reason = failure.what();
  }
  return proposal;
}

}  // namespace

Proposal simulated(const Problem& problem, const Candidate& candidate) {
  config::Value experiment = experiment_of(problem, candidate);
  const auto run = [&] {
    const ProgressScope unseen(nullptr);  // a run is a part of the search
    return run_of(problem, experiment);
  };
  Proposal proposal = problem.known_runs ? problem.known_runs->of(experiment, run) : run();
  proposal.plan = candidate.label();
  proposal.experiment = std::move(experiment);
  end_part(problem.progress);
  if (!proposal.iteration_time_s) return proposal;
  const Limit* limit = exceeded(problem, proposal);
  if (!proposal.feasible)
    proposal.reason = "does not fit in memory";
  else if (!proposal.satisfies)
    proposal.reason = "devices do not send and compute as the schedule wants it";
  else if (limit)
    proposal.reason = beyond(*limit, value_of(proposal, limit->quantity));
  proposal.satisfies = proposal.satisfies && !limit;
  return proposal;
}

bool better(const Problem& problem, const Proposal& a, const Proposal& b) {
  if (a.satisfies != b.satisfies) return a.satisfies;
  if (!a.satisfies) {  // then the one that comes nearest to fitting
    const bool lacks = lacks_memory(problem, a);
    if (lacks != lacks_memory(problem, b)) return !lacks;
    if (lacks && a.peak_memory_bytes != b.peak_memory_bytes)
      return a.iteration_time_s &&
             (!b.iteration_time_s || a.peak_memory_bytes < b.peak_memory_bytes);
  }
  const double ours = goal_of(problem, a), theirs = goal_of(problem, b);
  if (ours != theirs) return ours < theirs;
  return value_of(a, "iteration_time") < value_of(b, "iteration_time");
}

}  // namespace pipewright::search
