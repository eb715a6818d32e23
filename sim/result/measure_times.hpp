// The part of a run's metrics that a search looks at.
#pragma once

#include "result/result.hpp"

namespace pipewright {

/// Returns what measure() does, but for communication.
Metrics measure_times(const Program& program, const Timeline& timeline,
                      const schedule::Schedule& schedule,
                      const std::vector<MemoryUse>& static_memory, const ComputeShares& shares);

}  // namespace pipewright
