// The layers of a model as closed forms see them: what each takes on one device of a
// tensor-parallel group and one micro-batch.
#pragma once

#include "engine/host_load.hpp"
#include "experiment/experiment.hpp"
#include "machine/machine.hpp"
#include "machine/run_options.hpp"
#include "plan/boundary.hpp"
#include "plan/memory.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// The time of a layer, with its tensor collectives. A tail is the collective that a pass over it
/// may end with: kernels of another pass may run beside it.
struct LayerTimes {
  Time forward, backward, input_gradient;  ///< the last two with what is run again
  Time forward_tail, backward_tail;
  /// What hosts take. Times here are without the wait for them, which is known of whole stages.
  HostLoad forward_host, input_host, weight_host;
  Time both() const { return forward + backward; }
};

/// The layers on one kind of devices.
struct KindTimes {
  int32_t first = 0;  ///< the first device of the kind
  std::vector<LayerTimes> times;
  std::string misfit;  ///< why these devices cannot run the layers; `times` is empty then
};

struct LayerTable {
  std::vector<Layer> layers;      ///< without their work
  std::vector<LayerTimes> times;  ///< on the slowest device that takes part
  std::vector<KindTimes> kinds;   ///< by Prices::class_of()
  Prices prices;
  Machine machine;
  StateOptions state;
  int tensor = 1, context = 1, expert = 1;
  Boundary boundary;
  Experiment experiment;  ///< that was asked for
  bool has_tokens = true;
};

/// Returns the layers as `experiment` runs them; it must say `data`. Throws
/// Misfit where the model does not allow the degrees.
LayerTable layer_table(Experiment experiment, const config::Catalogue& catalogue,
                       const RunOptions& options);

}  // namespace pipewright
