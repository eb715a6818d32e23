// The lines of a summary that only some runs have.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The lines say between what times the iteration lies.
std::string range_lines(const Ranges& ranges);
/// The lines are those of goodput, training time, energy and cost, as far as the run has them.
std::string expense_lines(const RunResult& result);
/// The lines are those of the three costs without which the iteration would be shortest.
std::string gain_lines(const IfFree& gain, Time iteration);
/// The lines say what would make a run fit, in the time that it would take then.
std::string remedy_lines(const RunResult& result);
/// The lines have the busiest link of each tier: links whose names differ in numbers and direction
/// only. They explain more than links can carry.
std::string link_lines(const RunResult& result);
/// The lines say by what the times are known, and what a reader should know of the run.
std::string provenance_lines(const RunResult& result);

}  // namespace pipewright
