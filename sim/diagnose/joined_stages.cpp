#include "diagnose/joined_stages.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

bool holds(const Placement& placement, int32_t pipeline, int32_t stage) {
  const auto place = static_cast<size_t>(pipeline);
  return place < placement.size() &&
         std::ranges::find(placement[place], stage) != placement[place].end();
}

}  // namespace

JoinedStages::JoinedStages(const RunTrace& trace, const Placement& placement)
    : pipelines_(placement.size()) {
  for (const RunSlice& slice : trace.slices)
    if (slice.kind == RunSliceKind::data_sum)
      members_[key_of(slice)].insert(trace.ranks[slice.rank].pipeline);
  // A sum of one stage is on ranks that hold it.
  std::erase_if(members_, [&](const auto& one) {
    return std::ranges::all_of(one.second, [&](int32_t pipeline) {
      return holds(placement, pipeline, std::get<0>(one.first));
    });
  });
}

OperationKind JoinedStages::kind_of(const RunSlice& sum) const {
  const auto joined = members_.find(key_of(sum));
  if (joined == members_.end()) return OperationKind::grads_reduce_scatter;
  // The norm is of all stages, and of more devices than one of each where there are replicas.
  const size_t stages = joined->second.size();
  const bool of_all = stages == pipelines_;
  const bool of_replicas = sum.devices > static_cast<int32_t>(stages);
  return of_all && (of_replicas || stages > 2) ? OperationKind::clip
                                               : OperationKind::embedding_grads_all_reduce;
}

}  // namespace pipewright::diagnose
