// TeraPipe (arXiv 2102.07988): how batch and sequences are cut together.
//
// Assumption: tensor parallelism inside a node as in Megatron-LM, pipelines of equal stages; every
//   micro-batch is cut into token slices by the paper's dynamic program over measured or modelled
//   slice times (schedule/token_cuts.hpp).
// Estimate: sum of the slices and (p - 1) times the longest, as the paper's, by study/estimate.hpp.
// Search: degrees and micro-batches by the closed form of whole sequences, of the most promising
// (the paper's joint program finds, as here, one slicing for
//   all of a batch's parts); in the order of the estimate, the best of those that fit.
#include <algorithm>

#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

constexpr size_t most_sliced = 12;

/// Returns the plans whose busiest device has least to do: slices leave little beside it. To cut
/// sequences takes a dynamic program, and so a second, of each.
std::vector<Candidate> most_promising(const Problem& problem) {
  Problem whole = problem;
  whole.schedules = {schedule_named("gpipe")};
  std::erase(whole.pinned, "schedule");
  std::vector<Candidate> all = megatron_space(whole);
  std::erase_if(all, [](const Candidate& c) { return c.pipeline == 1; });
  std::vector<Estimated> ordered = estimated(whole, all);
  std::ranges::stable_sort(ordered, [](const Estimated& a, const Estimated& b) {
    return std::pair(a.least, a.estimate) < std::pair(b.least, b.estimate);
  });
  if (ordered.size() > most_sliced) ordered.resize(most_sliced);
  std::vector<Candidate> chosen;
  for (Estimated& one : ordered) chosen.push_back(std::move(one.candidate));
  return chosen;
}

Proposal propose(const Problem& problem) {
  Problem sliced = problem;
  sliced.schedules = {schedule_named("{name: terapipe, slices: auto, granularity: 128}")};
  std::vector<Candidate> all = most_promising(problem);
  for (Candidate& c : all) c.schedule = sliced.schedules.front();
  std::vector<Estimated> ordered = estimated(sliced, all);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Estimated& a, const Estimated& b) { return a.estimate < b.estimate; });
  return best_of(sliced, ordered, static_cast<size_t>(problem.simulations));
}

}  // namespace

const Planner planner::terapipe{"terapipe", "token slices by dynamic programming (TeraPipe)",
                                propose, true};

}  // namespace pipewright::search
