// What it costs that hosts start operations late.
#pragma once

#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Whom the causes name.
inline constexpr const char* launch_gaps_name = "launch gaps";
inline constexpr const char* late_begin_name = "begin of steps";

/// The same where each operation says when its host asked for it: of all ranks, of one stage, of
/// one rank. Such gaps are in the lengths of the evidence, and no ideal has them.
std::vector<Candidate> late_hosts(const Evidence& evidence);

/// Runs the trace with the gaps in which nothing but the host holds an operation up, and without
/// them: those before the first operation of a rank in a step, where data are loaded, and all
/// others. What is simulated is without them, so they have no share of the excess. Causes that take
/// less than 0.2 % of a step are none.
std::vector<Cause> launch_gaps(const Evidence& evidence);

}  // namespace pipewright::diagnose
