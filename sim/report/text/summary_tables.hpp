// The tables of a summary.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// Memory at the peak by rank and by what it holds, against the capacity where there is one. Of
/// many ranks the fullest. Columns that are zero everywhere are left out.
std::string memory_table(const RunResult& result, size_t most_ranks = 16);

/// Communication by kind: sent, in progress, waited for. Empty where nothing communicates.
std::string communication_table(const Metrics& metrics);

/// The first flows of a traffic experiment: when they started and ended, and how fast they were.
std::string flow_table(const std::vector<FlowResult>& flows, size_t most_flows = 16);

}  // namespace pipewright
