// The transformer of a Megatron-LM command line.
#pragma once

#include "config/value.hpp"
#include "convert/megatron_degrees.hpp"

namespace pipewright {

/// Returns `model.transformer` as an experiment has it. Appends to `assumed` what the command line
/// leaves open.
config::Value megatron_model(MegatronFlags& flags, const MegatronDegrees& degrees,
                             std::vector<std::string>& assumed);

}  // namespace pipewright
