#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "config/emit.hpp"
#include "estimate/estimate.hpp"
#include "machine/run_options.hpp"
#include "result/memory_use.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "search/closed_forms.hpp"

namespace pipewright::search {
namespace {

/// Returns the experiment of a candidate as text, without what no candidate changes.
std::string text_of(config::Value experiment) {
  std::erase_if(experiment.entries, [](const config::Entry& entry) {
    return entry.key == "model" || entry.key == "cluster";
  });
  return config::to_yaml(experiment);
}

/// Estimates of prepared runs, each found once: planners propose many of the same. May be shared by
/// threads.
class PreparedEstimates {
 public:
  explicit PreparedEstimates(const Problem& problem) : problem_(problem) {}

  /// Returns nothing for what cannot be.
  std::optional<Estimated> of(const Candidate& candidate) {
    try {
      Estimated one = of_experiment(experiment_of(problem_, candidate));
      one.candidate = candidate;
      return one;
    } catch (const Misfit&) {
      return std::nullopt;
    }
  }

 private:
  Estimated of_experiment(const config::Value& experiment) {
    const std::string text = text_of(experiment);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(text); known != known_.end()) return known->second;
    }
    const Estimated found = estimate(experiment);
    const std::lock_guard lock(mutex_);
    return known_.emplace(text, found).first->second;
  }

  Estimated estimate(const config::Value& document) const {
    const Experiment experiment = read_experiment(resolve(document, problem_.catalogue));
    RunOptions run = problem_.run;
    run.fold = false;  // which ranks are alike does not matter to a closed form
    const Prepared prepared = prepare(experiment, problem_.catalogue, run);
    Estimated result{
        .candidate = {}, .estimate = estimate_iteration(prepared), .held = {}, .least = {}};
    for (size_t rank = 0; rank < prepared.work.static_memory.size(); ++rank) {
      const Bytes held = prepared.work.static_memory[rank].total();
      const auto room = prepared.devices.memory(prepared.grid.mesh(static_cast<int>(rank)).devices);
      if (room && held > *room) result.fits = false;
      result.held = std::max(result.held, held);
    }
    return result;
  }

  const Problem& problem_;
  std::mutex mutex_;
  std::map<std::string, Estimated> known_;  // by the experiment's text
};

/// Returns the estimate of each candidate, whether or not its weights fit; empty for what cannot
/// be.
std::vector<std::optional<Estimated>> all_estimates(const Problem& problem,
                                                    const std::vector<Candidate>& candidates) {
  std::vector<std::optional<Estimated>> all(candidates.size());
  ClosedForms forms(problem);
  PreparedEstimates prepared(problem);
  begin_step("plans estimated", candidates.size());
  Progress* const progress = progress_of_thread();
  in_parallel(candidates.size(), problem.jobs, [&](size_t i) {
    const Candidate& one = candidates[i];
    if (keeps_pinned(problem, one)) all[i] = forms.knows(one) ? forms.of(one) : prepared.of(one);
    end_part(progress);
  });
  begin_step("plans simulated");
  return all;
}

}  // namespace

std::vector<std::optional<Estimated>> estimates(const Problem& problem,
                                                const std::vector<Candidate>& candidates) {
  std::vector<std::optional<Estimated>> all = all_estimates(problem, candidates);
  for (std::optional<Estimated>& one : all)
    if (one && !one->fits) one.reset();
  return all;
}

std::vector<Estimated> estimated(const Problem& problem, const std::vector<Candidate>& candidates) {
  std::vector<Estimated> possible;
  for (std::optional<Estimated>& one : estimates(problem, candidates))
    if (one) possible.push_back(std::move(*one));
  return possible;
}

std::vector<Estimated> leanest(const Problem& problem, const std::vector<Candidate>& candidates,
                               size_t most) {
  std::vector<Estimated> possible;
  for (std::optional<Estimated>& one : all_estimates(problem, candidates))
    if (one) possible.push_back(std::move(*one));
  std::ranges::stable_sort(possible, {}, [](const Estimated& one) { return one.held.count; });
  possible.resize(std::min(possible.size(), most));
  return possible;
}

}  // namespace pipewright::search
