// Predictions held against measurements, for a terminal.
#pragma once

#include <string>

#include "result/validation.hpp"

namespace pipewright {

/// The text has the runs, each with its error, then the groups, then all together, then why some
/// could not be predicted.
std::string summary(const Validation& validation);

}  // namespace pipewright
