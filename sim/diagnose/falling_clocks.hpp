// Devices whose clocks fall while they run.
#pragma once

#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Compares the passes of every rank with its own earlier ones. `lengths` by op, without gaps.
FallingClocks falling_clocks(const MeasuredJob& job, const MeasuredProgram& trace,
                             const std::vector<Time>& lengths);

/// Ranks whose clocks fall, each by itself and all together. The cure lets every pass run as it
/// would have in the beginning.
std::vector<Candidate> slow_clocks(const Evidence& evidence);

}  // namespace pipewright::diagnose
