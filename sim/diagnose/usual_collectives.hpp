// How long collectives would take if they took as long as those of other stages.
//
// Where the trace has the bytes of collectives, those of a kind are held against each other: each
// against the median of what the same ones of other stages take for as many bytes, the last against
// the last. What another stage hides behind its passes takes nothing there.
#pragma once

#include <vector>

#include "diagnose/measured_program.hpp"

namespace pipewright::diagnose {

/// Puts these lengths into `ideal`, by op.
void hold_against_other_stages(const MeasuredJob& job, const MeasuredProgram& trace,
                               std::vector<Time>& ideal);

}  // namespace pipewright::diagnose
