// What to change first in a job that is slow.
#pragma once

#include <string>

#include "result/diagnosis.hpp"

namespace pipewright {

/// Says what to change first, what that brings, and how sure that is: a line. Empty: no cause has a
/// remedy.
std::string first_change(const Diagnosis& diagnosis);

}  // namespace pipewright
