// The summary that `simulate` prints on a terminal: what was run, how long it takes and why, and
// what it needs.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// The summary ends with a timeline, which is scaled to a terminal of `columns`.
std::string summary(const Run& run, size_t columns = 100);

}  // namespace pipewright
