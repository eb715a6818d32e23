// The kernel of attention that a job of Megatron-LM runs.
#pragma once

#include <string>

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns the name of the kernel. `is_program` tells that the arguments are those of a program of
/// Megatron-LM, whose defaults have changed with its age.
std::string read_attention(Flags& flags, bool is_program);

}  // namespace pipewright::megatron
