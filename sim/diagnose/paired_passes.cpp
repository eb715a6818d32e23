#include "diagnose/paired_passes.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

void mark_rank(MeasuredJob& job, size_t step, int rank, const std::vector<bool>& pairs) {
  const std::vector<size_t> passes = compute_of(job, step, rank);
  if (passes.size() != pairs.size()) return;
  TracedOperation* const first = job.operations.data() + job.first_of(step);
  for (size_t k = 0; k + 1 < passes.size(); ++k) {
    TracedOperation& one = first[passes[k]];
    const TracedOperation& next = first[passes[k + 1]];
    if (pairs[k] && one.lane == next.lane && next.start - one.end() <= same_time)
      one.overlaps_next = true;
  }
}

}  // namespace

void mark_pairs(MeasuredJob& job, const std::vector<std::vector<bool>>& pairs) {
  const auto any = [](const std::vector<bool>& of_rank) {
    return std::ranges::find(of_rank, true) != of_rank.end();
  };
  if (std::ranges::none_of(pairs, any)) return;
  if (std::ranges::any_of(job.operations, &TracedOperation::overlaps_next)) return;
  for (size_t step = 0; step < job.steps.size(); ++step)
    for (int rank = 0; rank < job.ranks(); ++rank)
      mark_rank(job, step, rank, pairs[static_cast<size_t>(rank % job.stages)]);
}

}  // namespace pipewright::diagnose
