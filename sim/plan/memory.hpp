// What a device holds all the time: weights, gradients, optimizer state.
#pragma once

#include <span>
#include <vector>

#include "config/value.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// Bytes of device memory by what they hold.
struct MemoryUse {
  Bytes weights, weight_versions, gradients, optimizer, activations, buffers;
  Bytes total() const {
    return weights + weight_versions + gradients + optimizer + activations + buffers;
  }
};

enum class Optimizer : uint8_t { adam, adamw, sgd, momentum, lamb, adafactor, rmsprop };
Optimizer read_optimizer(const config::Value& value);

/// Whose habits memory follows where they differ; see memory.cpp.
enum class Framework : uint8_t { megatron, deepspeed, deepspeed_0_5, deepspeed_0_4 };
Framework read_framework(const config::Value& value);

/// Whether a stage keeps what it has sent until its backward pass.
inline bool keeps_outputs(Framework framework) { return framework != Framework::megatron; }

/// How weights and their companions are kept.
struct StateOptions {
  Framework framework = Framework::megatron;
  DType precision = DType::bf16;
  DType gradients = DType::fp32;
  Optimizer optimizer = Optimizer::adam;
  int zero = 0;        ///< 1: optimizer state, 2: gradients, 3: weights as well are cut over ...
  int64_t shards = 1;  ///< ... this many devices
  int64_t expert_shards = 1;     ///< the same for the weights of routed experts
  bool whole_weights = false;    ///< under 3: gathered weights stay until the backward pass
  bool whole_gradients = false;  ///< from 2 on: they are cut once all micro-batches are through
  int prefetch = 1;              ///< layers gathered, or fetched from the host, ahead of time
  bool optimizer_on_host = false, weights_on_host = false;
  int weight_versions = 1;  ///< of an asynchronous schedule; 1: no copies
};

/// What one device of a stage holds from the first micro-batch to the last; activations are zero.
MemoryUse static_memory(std::span<const Layer> stage, const StateOptions& options);

/// Parameters of each layer of a stage that one device holds, with the embedding's where the head
/// has a copy of them.
std::vector<double> layer_parameters(std::span<const Layer> stage);

/// The kernels of one optimizer step on one device: norm of the gradients, update, gradients
/// zeroed.
std::vector<Work> optimizer_step(std::span<const Layer> stage, const StateOptions& options);

/// The gradients of one device in bytes, before anything is cut: those of the layers' own weights,
/// and, of them, those of routed experts, which another group of devices reduces.
struct GradientBytes {
  Bytes all, experts;
};
GradientBytes gradient_bytes(std::span<const Layer> stage, DType gradients);

}  // namespace pipewright
