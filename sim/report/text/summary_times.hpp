// The lines of a summary that say how long a run takes and why.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The lines are those of iteration time and its range, throughput, utilization and bubble, as far
/// as the run has them.
std::string time_lines(const Run& run);

/// The lines are those of lower bound and critical path.
std::string bound_lines(const Run& run);

}  // namespace pipewright
