#include <algorithm>
#include <new>

#include "base/parallel.hpp"
#include "estimate/estimate.hpp"
#include "machine/run_options.hpp"
#include "result/memory_use.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "search/closed_forms.hpp"

namespace pipewright::search {
namespace {

/// Returns the estimate of a prepared run; nothing for what cannot be.
std::optional<Estimated> prepared_estimate(const Problem& problem, const Candidate& candidate) {
  try {
    const Experiment experiment =
        read_experiment(resolve(experiment_of(problem, candidate), problem.catalogue));
    RunOptions run = problem.run;
    run.fold = false;  // which ranks are alike does not matter to a closed form
    const Prepared prepared = prepare(experiment, problem.catalogue, run);
    Estimated result{candidate, estimate_iteration(prepared), {}, {}, true};
    for (size_t rank = 0; rank < prepared.work.static_memory.size(); ++rank) {
      const Bytes held = prepared.work.static_memory[rank].total();
      const auto room = prepared.devices.memory(prepared.grid.mesh(static_cast<int>(rank)).devices);
      if (room && held > *room) result.fits = false;
      result.held = std::max(result.held, held);
    }
    return result;
  } catch (const Misfit&) {
    return std::nullopt;
  }
}

/// Returns the estimate of each candidate, whether or not its weights fit; empty for what cannot
/// be.
std::vector<std::optional<Estimated>> all_estimates(const Problem& problem,
                                                    const std::vector<Candidate>& candidates) {
  std::vector<std::optional<Estimated>> all(candidates.size());
  ClosedForms forms(problem);
  in_parallel(candidates.size(), problem.jobs, [&](size_t i) {
    const Candidate& one = candidates[i];
    if (!keeps_pinned(problem, one)) return;
    all[i] = forms.knows(one) ? forms.of(one) : prepared_estimate(problem, one);
  });
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
