// What predictions were off by, and what decides it, as the table that ranges rest on
// (result/ranges.hpp).
#pragma once

#include <string>

#include "result/validation.hpp"

namespace pipewright {

/// The text has a header and a line for each run whose time was measured and predicted.
std::string residuals_text(const Validation& validation);

}  // namespace pipewright
