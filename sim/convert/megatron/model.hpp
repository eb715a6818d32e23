// The transformer of a Megatron-LM command line.
#pragma once

#include "convert/megatron/degrees.hpp"
#include "convert/megatron/program.hpp"

namespace pipewright::megatron {

/// Returns `model.transformer` as an experiment has it. Notes what the command line leaves open.
config::Value read_model(Flags& flags, const Degrees& degrees, Program program);

}  // namespace pipewright::megatron
