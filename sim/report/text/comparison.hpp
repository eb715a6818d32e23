// Schedules side by side: a table in the order of their time, and which of them to take.
#pragma once

#include <span>
#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// Table and recommendation. Those that could not run come last, with their reason.
std::string comparison(std::span<const Row> rows);

/// One sentence: the fastest synchronous schedule that fits the devices' memory (of equally fast
/// ones the leanest), and what another would trade for what. It names, where there is one, the
/// fastest asynchronous schedule that is faster, the fastest that needs at least a tenth less
/// memory, and the fastest that would be faster but does not fit. Empty when nothing ran.
std::string recommendation(std::span<const Row> rows);

}  // namespace pipewright
