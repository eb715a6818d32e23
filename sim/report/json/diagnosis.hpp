// A diagnosis as JSON.
#pragma once

#include <string>

#include "result/diagnosis.hpp"

namespace pipewright {

/// The text is a document of the schema pipewright.diagnosis/1. Text that is not UTF-8 gets
/// replacement characters.
std::string json_text(const Diagnosis& diagnosis);

}  // namespace pipewright
