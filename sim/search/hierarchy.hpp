// Pipelines whose stages are replicated, on a machine of levels: PipeDream's dynamic program.
#pragma once

#include <cstdint>
#include <vector>

namespace pipewright::search {

/// One level of the machine: `components` of the level below, joined at `bandwidth` bytes/s.
struct Level {
  int components = 1;
  double bandwidth = 0;
};

/// The costs of a link of the chain: seconds of one micro-batch forward and backward on one device,
/// bytes of its weights, bytes that it sends on.
struct LinkCost {
  double seconds = 0, weights = 0, output = 0;
};

/// Links first to last on `devices`, each a replica.
struct ReplicatedStage {
  int first = 0, last = 0;
  std::vector<int32_t> devices;
  bool operator==(const ReplicatedStage&) const = default;
};

struct HierarchicalPlan {
  double bottleneck = 0;  ///< seconds of a micro-batch on the slowest stage or between two
  std::vector<ReplicatedStage> stages;
};

/// Plans a pipeline on all devices of all levels, innermost level first. Needs a link and a level.
HierarchicalPlan hierarchical_pipeline(const std::vector<LinkCost>& chain,
                                       const std::vector<Level>& levels);

}  // namespace pipewright::search
