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
//   and chunks.
// Limits: complete only where `simulations` reaches all candidates.
#include <algorithm>

#include "search/refinement.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Proposal propose(const Problem& problem) {
  const std::vector<Candidate> space = whole_space(problem);
  std::vector<Estimated> all = estimated(problem, space);
  constexpr size_t to_tell_the_nearest = 8;
  if (all.empty()) all = leanest(problem, space, to_tell_the_nearest);
  std::stable_sort(all.begin(), all.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  Judged best = best_candidate_of(problem, all, static_cast<size_t>(problem.simulations));
  return refined(problem, std::move(best)).proposal;
}

}  // namespace

const Planner planner::exhaustive{"exhaustive", "all that Megatron-LM's rules allow", propose};

}  // namespace pipewright::search
