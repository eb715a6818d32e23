// PipeDream-2BW's planner (arXiv 2006.09503, section 4).
//
// Assumption: repeated blocks in equal stages; w parallel pipelines of depth d, w d devices; micro-
//   batches of b sequences, b a power of two; recomputation everywhere or nowhere; the gradients'
//   all-reduce and the messages between stages hide behind compute as far as that is longer.
// Estimate: the time of a batch is that of its micro-batches on the busiest stage, for weights of
//   one batch ago leave no bubble.
// Search: all (d, b, recomputation); in the order of the estimate, the best of those that fit.
// Limits: the plan is asynchronous: its gradients are one step late.
#include <algorithm>

#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Proposal propose(const Problem& problem) {
  const std::vector<Candidate> all =
      pipelines(problem, {schedule_named("pipedream-2bw")}, {"none", "full"});
  std::vector<Estimated> ordered = estimated(problem, all);
  std::erase_if(ordered, [](const Estimated& one) { return one.candidate.pipeline == 1; });
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  return best_of(problem, ordered, static_cast<size_t>(problem.simulations));
}

}  // namespace

const Planner planner::pipedream_2bw{"pipedream-2bw",
                                     "parallel pipelines with double-buffered weights", propose};

}  // namespace pipewright::search
