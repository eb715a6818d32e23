// Helpers of commands that run as one rank of many.
#pragma once

#include <string>

namespace pipewright::cli {

/// Each rank of a host takes a GPU of its own, unless its launcher has given it one.
void take_own_gpu();

/// Prints the reason, and leaves without waiting for threads or other ranks.
[[noreturn]] void end_process(const std::string& reason);

}  // namespace pipewright::cli
