// Predictions held against measurements as JSON, schema pipewright.validation/1.
#pragma once

#include <string>

#include "result/validation.hpp"

namespace pipewright {

/// The document has the runs, the groups and all together: times in seconds, memory in bytes,
/// errors as fractions. The text ends with a newline.
std::string json_text(const Validation& validation);

}  // namespace pipewright
