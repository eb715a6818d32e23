// A model as a list of layers whose times somebody measured: the `layers:` list of a model.
//
// Assumption: the layers run one after the other on one device, as measured with micro-batches of
// `measured_batch` samples; a micro-batch of b samples takes b / measured_batch of every time and
// every activation. A layer keeps its output until its backward pass, and sends it on where a stage
// ends. Weight gradients are half of the backward pass where nothing else is said. Parameters are
// of `precision`. Layers cannot be split over devices, and nothing says what is run again.
#pragma once

#include <vector>

#include "config/value.hpp"
#include "workload/layer.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

struct MeasuredLayer {
  std::string name;
  Time forward, backward, weight_gradient;  ///< of measured_batch samples
  Bytes activation;                         ///< kept until its backward pass, of as many
  Bytes output;                             ///< sent on where a stage ends; default the same
  double parameters = 0;
};

struct MeasuredLayers {
  int64_t measured_batch = 1;
  std::vector<MeasuredLayer> layers;
};

/// Reads `layers`, a list of maps with name, forward, backward, weight_gradient, activation,
/// output and parameters, and `measured_batch` beside it.
MeasuredLayers read_measured_layers(const config::Value& layers, const config::Value* batch);

/// Misfit at `where` for parallelism within a layer.
std::vector<Layer> measured_layers(const MeasuredLayers& model, const WorkloadOptions& options,
                                   const config::Value& where);

}  // namespace pipewright
