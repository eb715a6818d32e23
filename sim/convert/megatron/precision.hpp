// The number formats of a Megatron-LM command line.
#pragma once

#include "config/value.hpp"
#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns `precision` as an experiment has it.
config::Value read_precision(Flags& flags);

}  // namespace pipewright::megatron
