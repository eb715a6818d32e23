// The framework that trains, and the rule by which weights are updated.
#pragma once

#include <cstdint>

namespace pipewright {

enum class Optimizer : uint8_t {
  adam,
  adamw,
  sgd,
  momentum,
  lamb,
  adafactor,
  rmsprop,
  muon,
  shampoo,
  soap
};

/// The number format of an optimizer's moments.
enum class Moments : uint8_t { fp32, bf16, fp8, int8 };
/// What is kept of weights in fp32 beside narrower ones.
enum class MasterWeights : uint8_t { fp32, remainders, none };

/// What a job does while nodes are missing; run/elastic_speed.hpp.
enum class Elasticity : uint8_t { none, replicas, stages, nodes };

/// The number format in which sites send the differences of their weights; plan/outer_steps.cpp.
enum class OuterPrecision : uint8_t { fp32, bf16, fp8, fp4 };
/// The rule by which the mean difference of sites moves the weights.
enum class OuterOptimizer : uint8_t { nesterov, sgd, adam };

/// How the rule runs on a device; plan/optimizer_step.cpp.
enum class UpdateKernels : uint8_t { fused, foreach, loop };

/// Whose habits a run follows where they differ; see plan/memory.cpp, machine/host_times.cpp and
/// derived.hpp.
enum class Framework : uint8_t {
  megatron,
  deepspeed,
  deepspeed_0_5,
  deepspeed_0_4,
  torch,
  torchtitan,
  nanotron,
  jax,
  fsdp2,
  megatron_2022,
  megatron_2021
};

inline bool is_megatron(Framework framework) {
  return framework == Framework::megatron || framework == Framework::megatron_2022 ||
         framework == Framework::megatron_2021;
}

/// Tells whether models, optimizers and experts are those of PyTorch and transformers.
inline bool is_torch_alone(Framework framework) {
  return framework == Framework::torch || framework == Framework::fsdp2;
}

/// Tells whether weights that are cut are torch.distributed.fsdp.fully_shard's.
inline bool has_fsdp2(Framework framework) {
  return framework == Framework::torchtitan || framework == Framework::fsdp2;
}

/// Tells whether a stage keeps what it has sent until its backward pass.
inline bool keeps_outputs(Framework framework) { return !is_megatron(framework); }

}  // namespace pipewright
