// The causes of a diagnosis as CSV.
#pragma once

#include <string>

#include "result/diagnosis.hpp"

namespace pipewright {

/// The file has a header and one line a cause, in the order of the diagnosis: times in seconds,
/// `step_fraction` of the mean step. A field is empty where the cause has no such value.
std::string csv_text(const Diagnosis& diagnosis);

}  // namespace pipewright
