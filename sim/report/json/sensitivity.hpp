// What more of each resource would gain as JSON, schema pipewright.sensitivity/1.
#pragma once

#include <string>

#include "result/sensitivity.hpp"

namespace pipewright {

/// The document has a row for each resource, with its time in seconds and its gain as a fraction.
/// The text ends with a newline.
std::string json_text(const Sensitivity& sensitivity);

}  // namespace pipewright
