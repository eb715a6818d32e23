// What changed between two runs of a job, as text.
#pragma once

#include <string>

#include "result/diagnosis.hpp"

namespace pipewright {

/// A table: the step, what it is made of, causes and kernels, each before and after.
std::string change_text(const RunChange& change);

}  // namespace pipewright
