// The arguments of Megatron-LM as the map MODEL_ARGS of a YAML file, as its functional tests and
// Megatron-MoE-ModelZoo have them.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::megatron {

/// Reads a file of MODEL_ARGS. ${NAME} in it is a variable from outside.
job::Import import_model_args(const job::Source& source);

}  // namespace pipewright::megatron
