// The name of a schedule in tables.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright {

/// "1f1b", "interleaved-1f1b (virtual 4)": a schedule's value as it is called in tables.
std::string schedule_name(const config::Value& schedule);

}  // namespace pipewright
