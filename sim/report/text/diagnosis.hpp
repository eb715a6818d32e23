// A diagnosis for terminals: one screen of 80 columns.
#pragma once

#include <string>

#include "result/diagnosis.hpp"

namespace pipewright {

/// The text says which job it is, where a step's time goes, and what to change first. Names out of
/// traces are printable.
std::string diagnosis_text(const Diagnosis& diagnosis);

}  // namespace pipewright
