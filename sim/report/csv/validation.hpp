// Predictions held against measurements as CSV.
#pragma once

#include <string>

#include "result/validation.hpp"

namespace pipewright {

/// The file has a header and one line a run: times in seconds, memory in bytes, errors as
/// fractions.
std::string csv_text(const Validation& validation);

}  // namespace pipewright
