// TeraPipe (arXiv 2102.07988): how batch and sequences are cut together.
//
// Assumption: tensor parallelism inside a node as in Megatron-LM, pipelines of equal stages; every
//   micro-batch is cut into token slices by the paper's dynamic program over measured or modelled
//   slice times (schedule/token_cuts.hpp).
// Estimate: sum of the slices and (p - 1) times the longest, as the paper's, by study/estimate.hpp.
// Search: all degrees and micro-batches (the paper's joint program finds, as here, one slicing for
//   all of a batch's parts); in the order of the estimate, the best of those that fit.
#include <algorithm>

#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

Proposal propose(const Problem& problem) {
  Problem sliced = problem;
  sliced.schedules = {schedule_named("{name: terapipe, slices: auto, granularity: 128}")};
  std::vector<Candidate> all = megatron_space(sliced);
  std::erase_if(all, [](const Candidate& c) { return c.pipeline == 1; });
  std::vector<Estimated> ordered = estimated(sliced, all);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  return best_of(sliced, ordered, static_cast<size_t>(problem.simulations));
}

}  // namespace

const Planner planner::terapipe{"terapipe", "token slices by dynamic programming (TeraPipe)",
                                propose, true};

}  // namespace pipewright::search
