// Static memory, which a device holds all the time: weights, gradients, optimizer state.
#pragma once

#include <span>
#include <vector>

#include "plan/state_bytes.hpp"
#include "result/memory_use.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// Parameters of one device, or what sharding leaves of them.
struct ParameterCount {
  double own = 0;      ///< weights replicated over all devices of the stage's data group
  double experts = 0;  ///< routed experts'

  double all() const { return own + experts; }
  ParameterCount cut(const StateOptions& options, bool cuts) const;
};
ParameterCount count_of(std::span<const Layer> stage);
/// Those that are trained: all but frozen ones, which have neither gradients nor optimizer state.
ParameterCount trained_of(std::span<const Layer> stage);
/// Those that are stored in a format of their own. Routed experts are where anything is.
ParameterCount narrow_of(std::span<const Layer> stage);

/// Returns what one device of a stage holds from the first micro-batch to the last; activations are
/// zero.
MemoryUse static_memory(std::span<const Layer> stage, const StateOptions& options);

/// Returns the bytes of the weights of each layer that one device holds, before anything is cut.
std::vector<double> layer_weight_bytes(std::span<const Layer> stage, const StateOptions& options);

/// Parameters of each layer of a stage that one device holds, with the embedding's where the head
/// has a copy of them.
std::vector<double> layer_parameters(std::span<const Layer> stage);

/// The same of those that are trained.
std::vector<double> trained_parameters(std::span<const Layer> stage);

/// Returns the kernel that predicts a stage's weights on one device: a pass over weights and what
/// the optimizer moves them by, or a copy of the former weights, which writes a copy.
Work weight_prediction(std::span<const Layer> stage, const StateOptions& options,
                       bool by_difference);

/// The gradients of one device in bytes, before anything is cut: those of the layers' own weights,
/// and, of them, those of routed experts, which another group of devices reduces.
struct GradientBytes {
  Bytes all, experts;
};
GradientBytes gradient_bytes(std::span<const Layer> stage, DType gradients);

}  // namespace pipewright
