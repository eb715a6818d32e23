// The lines of a summary that only some runs have.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The lines are those of uncertainty, variation, goodput, provenance, notes, training time,
/// energy, cost and the three busiest links, as far as the run has them.
std::string extra_lines(const RunResult& result);

}  // namespace pipewright
