// What of a Megatron-LM job is CUDA graphs.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns `launches` as an experiment has it; null where nothing is a graph. `given` is the
/// transformer that stands beside the job, or null.
config::Value read_launches(Flags& flags, const config::Value& given = {});

/// Tells whether experts with their exchanges are in a graph.
bool captures_experts(const Flags& flags);

}  // namespace pipewright::megatron
