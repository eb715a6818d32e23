// A model on the grid of devices that runs it, before it is cut into stages.
#pragma once

#include <vector>

#include "engine/price.hpp"
#include "experiment/experiment.hpp"
#include "machine/machine.hpp"
#include "plan/data_parallel.hpp"
#include "plan/mesh_work.hpp"
#include "program/lower.hpp"
#include "workload/model/model.hpp"

namespace pipewright {

struct ModelOnGrid {
  Experiment experiment;  ///< with its degrees and its batch settled
  const Machine& machine;
  Model model;
  int micro_batches = 1;        ///< of one iteration
  std::vector<MeshWork> works;  ///< by pipeline rank; one where stages are alike
  Grid grid;
  Prices prices;
  std::vector<ReshardingEdge> resharding_edges;  ///< by stage; empty where nothing is resharded
  std::vector<Layer> whole_layers;               ///< empty where nothing is resharded

  const MeshWork& work_on(int rank) const {
    return works.size() == 1 ? works.front() : works[static_cast<size_t>(rank)];
  }
  /// Returns the layers of one mesh; only their kinds and their order are the same for all.
  const std::vector<Layer>& layers() const { return works.front().layers; }
  /// Returns the tokens of a micro-batch's sequences.
  int sequence() const { return static_cast<int>(works.front().options.sequence); }
  DataParallel replicas_on(int rank) const {
    return {work_on(rank).experiment, grid.mesh(rank), model.has_tokens(),
            machine.host_step_rate(grid.mesh(rank).devices)};
  }
};

/// Settles `experiment` on `machine`, which must outlive what is returned. Throws InputError;
/// Misfit where a degree cannot be for this model and cluster.
ModelOnGrid model_on_grid(const Experiment& experiment, const Machine& machine);

}  // namespace pipewright
