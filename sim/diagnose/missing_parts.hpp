// What a trace of our own lacks of its run: ranks, passes of one direction, the end or the begin.
#pragma once

#include <string>
#include <vector>

#include "diagnose/run_passes.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// A note for each. `passes` are by rank of the trace.
std::vector<std::string> missing_parts(const RunTrace& trace,
                                       const std::vector<std::vector<PassSpan>>& passes);

}  // namespace pipewright::diagnose
