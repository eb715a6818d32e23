// What more of each resource would gain, for a terminal.
#pragma once

#include <string>

#include "result/sensitivity.hpp"

namespace pipewright {

/// The table has a line for each resource, the largest gain first.
std::string sensitivity_text(const Sensitivity& sensitivity);

}  // namespace pipewright
