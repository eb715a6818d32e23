// What `simulate` tells on a terminal: what was run, how long it takes and why, and what it needs.
#pragma once

#include <string>

#include "result/run_result.hpp"

namespace pipewright {

/// `columns` is the width of the terminal, to which the timeline is scaled.
std::string summary(const Run& run, size_t columns = 100);

}  // namespace pipewright
