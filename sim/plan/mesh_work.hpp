// A model as one mesh of devices runs it.
#pragma once

#include <vector>

#include "experiment/experiment.hpp"
#include "plan/tensor_cuts.hpp"
#include "program/lower.hpp"
#include "topology/topology.hpp"
#include "workload/layer.hpp"
#include "workload/model/model.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

struct MeshWork {
  Experiment experiment;  ///< with the degrees of the mesh and its part of a micro-batch
  WorkloadOptions options;
  TensorCuts cuts;
  std::vector<Layer> layers;
  std::vector<Layer>
      sliced_layers;  ///< on a slice of Domino's; empty where micro-batches are whole

  double dispatch = 1;  ///< of what goes to experts and back, the share that is sent

  /// Builds the layers anew where recomputation depends on where stages start.
  void begin_stages_at(const Model& model, const std::vector<int64_t>& starts);
  /// Scales what dispatch sends; must be called only once.
  void send_of_dispatch(double share);
};

/// Returns the work of each mesh of `strategy`, or one for all where stages are alike. Degrees
/// and batch of `experiment` must be settled. Throws Misfit where the model does not allow a
/// degree.
std::vector<MeshWork> mesh_works(const Experiment& experiment, const Model& model);

/// Lets `works`, one for all or one a mesh of `grid`, send what their experts are sent.
void settle_dispatch(const Experiment& experiment, const Model& model, const Grid& grid,
                     const Topology& topology, std::vector<MeshWork>& works);

/// The gradient of the embedding that the head shares, in bytes of one device.
Bytes tied_gradient(const std::vector<MeshWork>& works, DType gradients);

/// The layers of a whole micro-batch on one device: what is sent between stages that are not alike.
std::vector<Layer> whole_layers(const Experiment& experiment, const Model& model);

}  // namespace pipewright
