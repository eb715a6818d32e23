// The lines of a summary that say what job it is.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright {

/// The lines are those of the degrees of parallelism above one and of the batch.
std::string job_lines(const config::Value& experiment);

/// The line has the plain keys of `experiment` that are not in `given`, with the values they took.
std::string default_lines(const config::Value& experiment, const config::Value& given, bool all);

}  // namespace pipewright
