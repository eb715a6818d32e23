// All plans that Megatron-LM's rules allow, the most promising simulated.
//
// Assumption: as in arXiv 2104.04473 tensor parallelism stays inside a node and divides the heads,
//   stages hold equally many layers, replicas share the batch evenly. Optimizer states are sharded
//   over replicas (ZeRO 1) where there are any.
// Space: tensor x pipeline x micro-batch (1, 2, 4, 8) x recomputation (none, selective, full) x
//   schedule (1f1b, zb-h1, interleaved-1f1b with 2 or 4 chunks, or those that the user names).
// Search: what cannot hold its weights is left out; the rest is put in the order of its closed form
//   (study/estimate.hpp), and the first `simulations` of it are simulated; of those the best is
//   found for certain.
// Limits: complete only where `simulations` reaches all candidates.
#include <algorithm>

#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Proposal propose(const Problem& problem) {
  std::vector<Estimated> all = estimated(problem, megatron_space(problem));
  std::stable_sort(all.begin(), all.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  return best_of(problem, all, static_cast<size_t>(problem.simulations));
}

}  // namespace

const Planner planner::exhaustive{"exhaustive", "all that Megatron-LM's rules allow", propose};

}  // namespace pipewright::search
