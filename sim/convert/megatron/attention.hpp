// The kernel of attention that a job of Megatron-LM runs.
#pragma once

#include <string>
#include <string_view>

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns the name of the kernel. `is_program` tells that the arguments are those of a program of
/// Megatron-LM, whose defaults have changed with its age. `usual` is the backend where no argument
/// says it.
std::string read_attention(Flags& flags, bool is_program, std::string_view usual = "auto");

}  // namespace pipewright::megatron
