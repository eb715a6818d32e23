// Finds the best of many candidates by few simulations: in the order of their estimates, until none
// that is left can be better.
#include <algorithm>
#include <set>
#include <span>

#include "base/parallel.hpp"
#include "search/lean_choice.hpp"
#include "search/problem.hpp"
#include "search/proposal_values.hpp"

namespace pipewright::search {
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
