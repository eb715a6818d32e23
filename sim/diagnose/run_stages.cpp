#include "diagnose/run_stages.hpp"

#include <algorithm>
#include <iterator>

namespace pipewright::diagnose {

Placement RunStages::placement() const {
  Placement placement(stages_.empty() ? 0 : static_cast<size_t>(stages_.rbegin()->first) + 1);
  for (const auto& [pipeline, all] : stages_)
    placement[static_cast<size_t>(pipeline)].assign(all.begin(), all.end());
  return placement;
}

int32_t RunStages::chunk_of(int32_t pipeline, int32_t stage) const {
  const auto rank = stages_.find(pipeline);
  if (rank == stages_.end()) return -1;
  const auto found = rank->second.find(stage);
  if (found == rank->second.end()) return -1;
  return static_cast<int32_t>(std::distance(rank->second.begin(), found));
}

int RunStages::copies_of(int32_t stage) const {
  const auto copies =
      std::ranges::count_if(stages_, [&](const auto& rank) { return rank.second.contains(stage); });
  return std::max(static_cast<int>(copies), 1);
}

}  // namespace pipewright::diagnose
