// The lines of a summary that say what job it is.
#pragma once

#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// The lines are those of the degrees of parallelism above one and of the batch.
std::string job_lines(const config::Value& experiment);

/// A plain key of an experiment that is not in what was given, with the value that it took.
struct DefaultTaken {
  std::string key, value;
  bool matters_most = false;  ///< among those that change a time or a memory most
};
std::vector<DefaultTaken> defaults_taken(const config::Value& experiment,
                                         const config::Value& given);

/// The line has the plain keys of `experiment` that are not in `given`, with the values they took.
std::string default_lines(const config::Value& experiment, const config::Value& given, bool all);

}  // namespace pipewright
