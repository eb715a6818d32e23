// All plans that Megatron-LM's rules allow, the most promising simulated.
//
// Assumption: as in arXiv 2104.04473 tensor parallelism stays inside a node and divides the heads,
//   stages hold equally many layers, replicas share the batch evenly.
// Space: tensor x pipeline x data x micro-batch (1, 2, 4, 8) x recomputation (none, selective,
//   all modules that take little to run again, full) x ZeRO stage (1; without a pipeline also 2 and
//   3) x context degree of long sequences x expert degree x schedule (1f1b, zb-h1, interleaved-1f1b
//   with 2 or 4 chunks, or those that the user names). Devices may stay idle: up to half of them,
//   and all but a node's.
// Search: what cannot hold its weights is left out; the rest is put in the order of its closed form
//   (estimate/closed_form.hpp). The first `simulations` of it are simulated, as far as estimates
//   are near what was found; of those the best is found for certain. The best is then improved step
//   by step (search/refinement.hpp): overlapped tensor collectives, offloading, other micro-batches
//   and chunks. Overlap may change which way to cut the work is best, and no closed form knows it:
//   so the first few of each way are tried with it too, and the best of them is improved as well.
// Limits: complete only where `simulations` reaches all candidates.
#include <algorithm>
#include <set>

#include "search/refinement.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Proposal improved_best(const Problem& problem, const std::vector<Estimated>& ordered) {
  const auto most = static_cast<size_t>(problem.simulations);
  return refined(problem, best_candidate_of(problem, ordered, most)).proposal;
}

/// Returns `best` with the other, and what came next to it, among those that came next.
Proposal beside(const Problem& problem, Proposal best, Proposal other) {
  std::vector<Proposal> next = std::move(other.runners_up);
  other.runners_up.clear();
  next.push_back(std::move(other));
  std::set<std::string> seen = {best.plan};
  for (const Proposal& one : best.runners_up) seen.insert(one.plan);
  for (Proposal& one : next)
    if (one.satisfies && seen.insert(one.plan).second) best.runners_up.push_back(std::move(one));
  std::ranges::stable_sort(
      best.runners_up, [&](const Proposal& a, const Proposal& b) { return better(problem, a, b); });
  return best;
}

/// Returns the best of plans whose tensor collectives are overlapped, as far as it may be faster
/// than `best`.
Proposal best_overlapped(const Problem& problem, const std::vector<Estimated>& ordered,
                         const Proposal& best) {
  Problem rest = problem;
  if (problem.goal == Goal::time && best.satisfies && best.iteration_time_s)
    rest.reached = std::min(*best.iteration_time_s, rest.reached.value_or(*best.iteration_time_s));
  return improved_best(rest, estimated(rest, overlapped(rest, ordered)));
}

Proposal propose(const Problem& problem) {
  std::vector<Candidate> space = whole_space(problem);
  std::erase_if(space, [&](const Candidate& one) { return is_too_fast(problem, one); });
  std::vector<Estimated> all = estimated(problem, space);
  constexpr size_t to_tell_the_nearest = 8;
  if (all.empty()) all = leanest(problem, space, to_tell_the_nearest);
  std::stable_sort(all.begin(), all.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  Proposal best = improved_best(problem, all);
  Proposal other = best_overlapped(problem, all, best);
  if (!other.satisfies) return best;
  if (better(problem, other, best)) std::swap(best, other);
  return beside(problem, std::move(best), std::move(other));
}

}  // namespace

const Planner planner::exhaustive{.name = "exhaustive",
                                  .summary = "all that Megatron-LM's rules allow",
                                  .propose = propose,
                                  .spares = true};

}  // namespace pipewright::search
