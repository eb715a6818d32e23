// An operation of a layer, described once: what it runs in each pass, what it keeps in between, and
// how a list of them becomes a Layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/layer.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// Kernels and bytes of one device and one micro-batch. A collective runs after the kernels of its
/// pass.
struct Operation {
  Part part = Part::other;
  bool captured = false;  ///< its collectives are in CUDA graphs
  std::vector<Work> forward, input_gradient, weight_gradient;
  std::optional<CollectiveWork> forward_collective, input_gradient_collective;
  /// The segments that come after those where a pass communicates more than once, or before it
  /// computes.
  Segments forward_steps, input_gradient_steps, weight_gradient_steps;
  double saved = 0;        ///< bytes kept for the backward pass, unless the operation is run again
  double saved_input = 0;  ///< of saved: what enters, kept where nothing before is run again
  double leaves = 0;       ///< of saved: what the host keeps
  double copies = 0;       ///< bytes kept beside saved: what was cast for a product
  double reclaimable = 0;  ///< bytes that the allocator gets back late in a forward pass
  double parameters = 0, device_parameters = 0;
  double device_expert_parameters = 0;  ///< of device_parameters
  double narrow = 0;                    ///< of device_parameters: stored as options.stored says
  std::optional<double> trained;        ///< of device_parameters, where not all are
  double trained_experts = 0;           ///< of trained: adapters of routed experts
  std::vector<Work> adapter_gradients;  ///< of weights beside frozen ones
  std::optional<Axis> summed_over;      ///< their gradients, within the tensor group
  double model_flops = 0;               ///< forward, whole layer
};
using Operations = std::vector<Operation>;

/// The ends of a layer, which assemble() cannot know from the operations.
struct LayerEnds {
  std::string name;
  LayerKind kind = LayerKind::other;
  double input = 0;   ///< bytes kept of what enters the layer
  double leaves = 0;  ///< of those, what the host keeps
  double output = 0;  ///< bytes that leave it
  double around = 0;  ///< bytes of its output's gradient that residual sums lead past operations
};

/// A layer whose forward pass runs `operations` in order and whose backward passes run them in
/// reverse. What `recompute` names is run again and its saved bytes become transient, as are the
/// gradients that a block's or head's operations hand to each other beyond what they give back.
Layer assemble(const LayerEnds& ends, const Operations& operations, const Recompute& recompute);

/// Marks the first kernel of each CUDA graph of a pass.
void open_graphs(Segments& segments);

void append(Operations& operations, Operations more);

}  // namespace pipewright
