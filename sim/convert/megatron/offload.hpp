// What a Megatron-LM job's hosts keep for their devices.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns `offload` as an experiment has it; null where everything stays on the device.
config::Value read_offload(Flags& flags);

}  // namespace pipewright::megatron
