// Names of ops in messages and traces.
#pragma once

#include <string>

#include "program/program.hpp"

namespace pipewright {

/// "1F0", "1F0+0B3" for a pair, "send 1F0 to rank 2", "activation of 1F0 to rank 5", "all_reduce",
/// "step"; in a trace the label that the op has there.
std::string name(const Program& program, OpId op);
/// The name and its rank: "rank 1's 1F0".
std::string describe(const Program& program, OpId op);

const char* to_string(CollectiveKind kind);
/// "pipeline", ...; copies between a device and its host are "offload".
const char* to_string(Traffic traffic);

}  // namespace pipewright
