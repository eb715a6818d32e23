// How the devices of an accelerate job share the model: FSDP, Megatron-LM, plain copies.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::accelerate {

/// The devices of a job, and the degrees that its plugin has.
struct Devices {
  int64_t all = 1, machines = 1;
  int64_t tensor = 1, pipeline = 1, context = 1;

  int64_t data() const { return all / (tensor * pipeline * context); }
};

/// Reads degrees from parallelism_config and megatron_lm_config. Throws InputError where they do
/// not divide the devices.
void read_degrees(job::Settings& settings, Devices& devices);

/// Sets `parallel`, `framework`, `recompute` and `gradients` as FSDP, Megatron-LM or plain copies
/// have them. `type` is the configuration's distributed_type.
void write_sharding(job::Settings& settings, const std::string& type, const Devices& devices,
                    const std::string& precision);

}  // namespace pipewright::accelerate
