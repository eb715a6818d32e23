// The lines of a summary that say how long a run takes and why.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The lines are those of iteration time, throughput, utilization, bubble, lower bound and critical
/// path, as far as the run has them.
std::string time_lines(const Run& run);

}  // namespace pipewright
