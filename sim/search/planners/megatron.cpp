// The rules of thumb of Megatron-LM's authors, without a search.
//
// Assumption (arXiv 2104.04473, takeaways 1 to 3): tensor parallelism as wide as a node and no
//   wider, then the shallowest pipeline whose weights, gradients, optimizer states and activations
//   fit, all other devices as replicas; the smallest micro-batch; interleaving where layers divide.
// Search: pipelines from shallow to deep, each without recomputation, then selective, then full;
//   the first that fits, as simulated.
// Limits: takes no notice of time.
#include <algorithm>

#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

int widest_tensor(const Given& given) {
  int widest = 1;
  for (const int tensor : divisors(given.devices_per_node))
    if (tensor <= 8 && given.heads % tensor == 0) widest = tensor;
  return widest;
}

int cost_of(const std::string& recompute) {
  return recompute == "none" ? 0 : recompute == "selective" ? 1 : 2;
}

Proposal propose(const Problem& problem) {
  const Given given = given_by(problem);
  const int tensor = given.transformer ? widest_tensor(given) : 1;
  std::vector<Candidate> all = megatron_space(problem);
  std::erase_if(all, [&](const Candidate& c) { return c.tensor != tensor || c.micro != 1; });
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return std::pair(a.pipeline, cost_of(a.recompute)) <
           std::pair(b.pipeline, cost_of(b.recompute));
  });
  Proposal nearest;
  for (const Estimated& one : estimated(problem, all)) {
    Proposal proposal = simulated(problem, one.candidate);
    proposal.findings.estimate_s = in_seconds(one.estimate);
    if (proposal.satisfies) return proposal;
    if (nearest.plan.empty() || better(problem, proposal, nearest)) nearest = std::move(proposal);
  }
  return nearest;
}

}  // namespace

const Planner planner::megatron{"megatron", "the rules of thumb of Megatron-LM's authors", propose};

}  // namespace pipewright::search
