// The tables of a summary.
#pragma once

#include "report/text/report.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// The table has the memory of each rank at its peak, by what holds it, against the capacity where
/// there is one. It shows the fullest ranks where there are more than `most_ranks`, and leaves out
/// columns that are zero everywhere. Of a table wider than `width` the columns that hold least are
/// one, "other".
Report memory_table(const RunResult& result, size_t width, size_t most_ranks = 16);

/// The table has communication by kind: sent, in progress, waited for. It is empty where nothing
/// communicates.
Report communication_table(const Metrics& metrics);

/// The table has the first flows of a traffic experiment: when they started and ended, and how fast
/// they were.
Report flow_table(const std::vector<FlowResult>& flows, size_t most_flows = 16);

}  // namespace pipewright
