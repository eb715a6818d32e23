// The number formats of a Megatron-LM command line.
#pragma once

#include "config/value.hpp"
#include "convert/megatron_flags.hpp"

namespace pipewright {

/// Returns `precision` as an experiment has it.
config::Value megatron_precision(MegatronFlags& flags);

}  // namespace pipewright
