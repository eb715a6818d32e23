// Which of several schedules to take, in a sentence.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/ranking/schedules.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// The sentence names the fastest synchronous schedule that fits the devices' memory (of equally
/// fast ones the leanest), and what another would trade for what: where there is one, the fastest
/// asynchronous schedule that is faster, the fastest that needs at least a tenth less memory, and
/// the fastest that would be faster but does not fit. A second one names those that predictions
/// cannot tell from it. It is empty when nothing ran.
std::string recommendation(std::span<const Row> rows);
/// The sentence is the same, of rows that are ranked already.
std::string recommendation(const std::vector<RankedSchedule>& candidates);

}  // namespace pipewright
