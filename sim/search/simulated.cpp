#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>

#include "base/parallel.hpp"
#include "base/required.hpp"
#include "result/objectives.hpp"
#include "search/known_runs.hpp"
#include "search/lean_choice.hpp"
#include "search/problem.hpp"
#include "simulate/quick_run.hpp"

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

/// Returns the first limit that it is beyond; null where it is within all.
const Limit* exceeded(const Problem& problem, const Proposal& proposal) {
  const auto found = std::ranges::find_if(problem.limits, [&](const Limit& limit) {
    return !(value_of(proposal, limit.quantity) <= limit.most);
  });
  return found == problem.limits.end() ? nullptr : &*found;
}

/// Bytes that a device may hold as far as limits say.
double most_memory(const Problem& problem) {
  double most = std::numeric_limits<double>::infinity();
  for (const Limit& limit : problem.limits)
    if (limit.quantity == "memory") most = std::min(most, limit.most);
  return most;
}

/// Tells whether it needs more memory than there is or than it may take.
bool lacks_memory(const Problem& problem, const Proposal& proposal) {
  return !proposal.feasible || proposal.peak_memory_bytes > most_memory(problem);
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
    proposal.iteration_time_s = in_seconds(result.metrics.iteration);
    if (const auto& known = result.ranges.uncertainty)
      proposal.range = {in_seconds(known->p10), in_seconds(known->p90)};
    proposal.peak_memory_bytes =
        required(objective_value(result, "peak_memory_bytes"), "every result has it");
    proposal.feasible = result.fit.feasible;
    proposal.synchronous = result.synchronous;
    if (result.fit.device_memory)
      proposal.memory_share = static_cast<double>(result.fit.fullest.count) /
                              static_cast<double>(result.fit.device_memory->count);
    proposal.time_to_train_s = result.training.time_s;
    proposal.cost_usd = result.expenses.cost_usd;
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

namespace {

class Contest {
 public:
  explicit Contest(const Problem& problem) : problem_(problem), alone_(problem) {
    alone_.experiment.set("network", config::scalar("alpha-beta"));
    // Limits on time are for links that are shared; memory is the same.
    std::erase_if(alone_.limits, [](const Limit& limit) { return limit.quantity != "memory"; });
  }

  Judged run(const std::vector<Estimated>& ordered, size_t most) {
    // As many at a time as make no difference to what is passed over, whatever `jobs` is.
    constexpr size_t wave = 8;
    size_t first = 0;
    while (first < ordered.size() && (tried_ < most || !fits_) && !hopeless(ordered[first])) {
      const size_t wanted = tried_ < most ? std::min(wave, most - tried_) : wave;
      const size_t count = std::min(wanted, ordered.size() - first);
      hold(std::span(ordered).subspan(first, count));
      first += count;
    }
    return best();
  }

 private:
  /// One of which `least` seconds are certain.
  struct Contender {
    const Estimated* one;
    double least;
  };

  /// Tells whether it fits and takes longer than a limit allows: what is slower does, too.
  bool late(const Proposal& one) const {
    return !lacks_memory(problem_, one) &&
           std::ranges::any_of(problem_.limits, [&](const Limit& limit) {
             const bool of_time =
                 limit.quantity == "iteration_time" || limit.quantity == "time_to_train";
             return of_time && value_of(one, limit.quantity) > limit.most;
           });
  }

  /// Tells whether something that takes at least so long cannot be better than those that are kept.
  bool beaten(double least) const {
    if (problem_.reached && least >= *problem_.reached) return true;
    if (kept_.size() < static_cast<size_t>(problem_.keep) || problem_.goal == Goal::cost)
      return false;
    const Proposal& last = kept_.back().proposal;
    // What is as fast may leave more memory.
    const double margin = problem_.goal == Goal::time ? as_fast() : 1;
    return (last.satisfies || late(last)) && least >= margin * value_of(last, "iteration_time");
  }

  /// Tells whether an estimate, and so those that follow it, is farther from what was found than
  /// closed forms err.
  bool hopeless(const Estimated& one) const {
    constexpr double error = 1.5;
    return beaten(in_seconds(one.estimate) / error);
  }

  /// Returns the best with what comes next, and with those that are as fast.
  Judged best() {
    if (kept_.empty()) return {};
    Judged best = std::move(kept_.front());
    std::vector<Proposal>& next = best.proposal.runners_up;
    for (size_t k = 1; k < kept_.size(); ++k)
      if (kept_[k].proposal.satisfies) next.push_back(std::move(kept_[k].proposal));
    const double most = as_fast() * value_of(best.proposal, "iteration_time");
    for (Proposal& one : others_)
      if (one.satisfies && value_of(one, "iteration_time") <= most) next.push_back(std::move(one));
    return best;
  }

  /// Returns the plan but for what it runs again; empty where no line says all of it.
  static std::string job_of(Candidate plan) {
    if (!plan.stages.empty() || !plan.placement.empty() || plan.sbp || plan.recomputed > 0)
      return {};
    plan.recompute.clear();
    return plan.label();
  }

  /// Tells whether the same plan fits that runs less again: it came first, as it takes less time.
  bool works_in_vain(const Estimated& one) const {
    return problem_.keep == 1 && fitting_.contains(job_of(one.candidate));
  }

  void hold(std::span<const Estimated> candidates) {
    std::vector<const Estimated*> open;
    for (const Estimated& one : candidates)
      if (!beaten(in_seconds(one.least)) && !works_in_vain(one)) open.push_back(&one);
    tried_ += candidates.size() - open.size();
    std::vector<Contender> all = contenders(open);
    constexpr size_t at_once = 2;
    for (size_t first = 0; first < all.size() && !beaten(all[first].least); first += at_once) {
      std::vector<Proposal> proposals(std::min(at_once, all.size() - first));
      in_parallel(proposals.size(), problem_.jobs, [&](size_t i) {
        proposals[i] = simulated(problem_, all[first + i].one->candidate);
        proposals[i].findings.estimate_s = in_seconds(all[first + i].one->estimate);
      });
      for (size_t i = 0; i < proposals.size(); ++i)
        take(std::move(proposals[i]), all[first + i].one->candidate);
    }
  }

  /// Returns what each takes where nothing shares a link: never more than where links are shared,
  /// quick to simulate, and of the same memory. The quickest first, without those that do not fit.
  std::vector<Contender> contenders(const std::vector<const Estimated*>& open) {
    std::vector<Proposal> proposals(open.size());
    in_parallel(open.size(), problem_.jobs,
                [&](size_t i) { proposals[i] = simulated(alone_, open[i]->candidate); });
    std::vector<Contender> all;
    for (size_t i = 0; i < open.size(); ++i) {
      Proposal& proposal = proposals[i];
      tried_ += proposal.iteration_time_s.has_value();
      if (proposal.satisfies) {
        all.push_back({open[i], value_of(proposal, "iteration_time")});
        if (const std::string job = job_of(open[i]->candidate); !job.empty()) fitting_.insert(job);
        fits_ = true;
      } else if (!fits_) {
        proposal.findings.estimate_s = in_seconds(open[i]->estimate);
        proposal.experiment = experiment_of(problem_, open[i]->candidate);
        take(std::move(proposal), open[i]->candidate);
      }
    }
    std::ranges::stable_sort(all, {}, &Contender::least);
    return all;
  }

  void take(Proposal proposal, const Candidate& candidate) {
    const auto place = std::ranges::find_if(
        kept_, [&](const Judged& one) { return better(problem_, proposal, one.proposal); });
    kept_.insert(place, {std::move(proposal), candidate});
    if (kept_.size() <= static_cast<size_t>(problem_.keep)) return;
    others_.push_back(std::move(kept_.back().proposal));
    kept_.pop_back();
  }

  const Problem& problem_;
  Problem alone_;
  std::vector<Judged> kept_;  // the best first
  std::vector<Proposal> others_;
  std::set<std::string> fitting_;  // by job_of()
  size_t tried_ = 0;
  bool fits_ = false;
};

/// Returns the candidates of which closed forms do not say that they are beyond a limit of memory;
/// where they say it of all, the `most` that hold least, so that the one that comes nearest is
/// still simulated.
std::vector<Estimated> within_memory(const Problem& problem, std::vector<Estimated> ordered,
                                     size_t most) {
  const double limit = most_memory(problem);
  const auto beyond = [&](const Estimated& one) {
    return static_cast<double>(one.held.count) > limit;
  };
  if (!std::ranges::all_of(ordered, beyond)) {
    std::erase_if(ordered, beyond);
    return ordered;
  }
  std::ranges::stable_sort(ordered, {}, [](const Estimated& one) { return one.held.count; });
  ordered.resize(std::min(ordered.size(), most));
  return ordered;
}

}  // namespace

Proposal best_of(const Problem& problem, const std::vector<Estimated>& ordered, size_t most) {
  return best_candidate_of(problem, ordered, most).proposal;
}

Judged best_candidate_of(const Problem& problem, const std::vector<Estimated>& ordered,
                         size_t most) {
  return Contest(problem).run(within_memory(problem, ordered, most), most);
}

}  // namespace pipewright::search
