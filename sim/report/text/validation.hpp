// Predictions held against measurements, as text, JSON and CSV.
#pragma once

#include <string>

#include "result/validation.hpp"

namespace pipewright {

/// The runs, each with its error, then the groups, then all together, then why some could not be
/// predicted.
std::string summary(const Validation& validation);
/// The schema pipewright.validation/1.
std::string json_text(const Validation& validation);
/// One header, one line a run.
std::string csv_text(const Validation& validation);

}  // namespace pipewright
