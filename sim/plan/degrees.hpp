// Degrees of parallelism and the batch, completed and checked against the devices there are.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// The reason why an experiment cannot be, and the key that it is about; no message where it can.
struct Refusal {
  const char* key = "";
  std::string message;
  explicit operator bool() const { return !message.empty(); }
};

/// Throws Misfit at the key.
void throw_misfit(const Refusal& refusal, const Experiment& experiment);

/// Sets `data` to what is left of `devices` where it is 0.
Refusal settle_degrees(Parallel& parallel, int devices);

/// Sets `micro_batches` of an iteration, and `global` where it is 0. More than a million are none
/// of its business.
Refusal settle_batch(Batch& batch, const Parallel& parallel, int64_t& micro_batches);

/// "the cluster has 8 devices, but 16 are needed".
std::string too_few_devices(int devices, int64_t needed);
/// Throws Misfit at the cluster where its `devices` are fewer than the degrees need.
void require_devices(const Experiment& experiment, int devices);

/// tensor x context x pipeline x data.
int64_t devices_needed(const Parallel& parallel);

}  // namespace pipewright
