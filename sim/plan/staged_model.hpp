// A model cut into stages, on the ranks that hold them.
#pragma once

#include <span>
#include <vector>

#include "plan/boundary.hpp"
#include "plan/model_on_grid.hpp"
#include "plan/partition.hpp"
#include "plan/stage_placement.hpp"

namespace pipewright {

struct StagedModel {
  const ModelOnGrid& job;
  StagePlacement placement;
  Partition partition;
  /// Copies of the weights held at once, by rank, the predicted one among them; empty: one on each.
  std::vector<int> weight_versions;

  int stages() const { return partition.stages(); }
  int rank_of(int stage) const { return placement.rank_of(stage); }
  const Mesh& mesh_of(int stage) const { return job.grid.mesh(rank_of(stage)); }
  const MeshWork& work_of(int stage) const { return job.work_on(rank_of(stage)); }
  std::span<const Layer> layers_of(int stage) const {
    return partition.stage(work_of(stage).layers, stage);
  }
  DataParallel replicas(int stage) const { return job.replicas_on(rank_of(stage)); }
  Boundary boundary(int stage) const;
  /// Returns the number of the resharding between `stage` and the one before; none where nothing
  /// is resharded.
  uint32_t resharding_edge_before(int stage) const;
  /// Returns what each device is sent by the stage before, nothing resharded.
  Bytes received(int stage) const;
  /// Returns what all devices together are sent by the stage before, where that is resharded.
  Bytes resharded(int stage) const;
};

/// Cuts the model of `job` into `stages`. Recomputing only some layers of every stage depends on
/// where the stages start: the layers of `job` are then built anew.
Partition cut_into_stages(ModelOnGrid& job, const StagePlacement& placement, int stages);

}  // namespace pipewright
