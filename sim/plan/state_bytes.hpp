// What one parameter takes: its weight, its gradient, its share of the optimizer's state.
#pragma once

#include "experiment/training_state.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// The products of gradients that Shampoo and SOAP keep; plan/preconditioners.cpp.
struct PreconditionerShape {
  int64_t width = 8192;  ///< their most rows
  int64_t every = 100;   ///< steps after which what is made of them is made anew
};

/// The options of how weights and their companions are kept.
struct StateOptions {
  Framework framework = Framework::megatron;
  DType precision = DType::bf16;
  DType gradients = DType::fp32;
  Optimizer optimizer = Optimizer::adam;
  Moments moments = Moments::fp32;
  MasterWeights master_weights = MasterWeights::fp32;
  StoredWeights stored = StoredWeights::as_computed;  ///< weights of products
  bool autocast = false;                              ///< weights are in fp32
  PreconditionerShape preconditioner;
  UpdateKernels update = UpdateKernels::fused;
  int zero = 0;        ///< 1: optimizer state, 2: gradients, 3: weights as well are cut over ...
  int64_t shards = 1;  ///< ... this many devices
  int64_t expert_shards = 1;     ///< the same for the weights of routed experts
  bool whole_weights = false;    ///< under 3: gathered weights stay until the backward pass
  bool whole_gradients = false;  ///< from 2 on: they are cut once all micro-batches are through
  int prefetch = 1;              ///< layers gathered, or fetched from the host, ahead of time
  bool optimizer_on_host = false, weights_on_host = false;
  int weight_versions = 1;     ///< of an asynchronous schedule; 1: no copies
  int64_t second_shards = 0;   ///< devices that a second copy of the weights is cut over; 0: none
  bool second_experts = true;  ///< that copy has routed experts too
};

/// Returns the bytes of a parameter's weight, of its master copy, and of its optimizer state with
/// that copy.
double weight_bytes(const StateOptions& options);
/// The same of a weight that is stored in a format of its own.
double narrow_bytes(const StateOptions& options);
double master_bytes(const StateOptions& options);
double optimizer_bytes(const StateOptions& options);
/// Returns how many moments an optimizer keeps of a parameter, and the bytes of all of them.
/// Muon keeps a second one of what is in no matrix of a block. What Shampoo and SOAP keep beside
/// theirs is preconditioner_bytes().
int moments_of(Optimizer optimizer);
double bytes_of(Moments format);
double moment_bytes(const StateOptions& options);

}  // namespace pipewright
