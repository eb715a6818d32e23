// The files that an experiment names.
#pragma once

#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// Makes the paths of the files that an experiment names absolute, as seen from the files that name
/// them: what is written anywhere else then finds them.
void make_paths_absolute(config::Value& document);

/// Returns the files that are there of those that an experiment names. A folder of a model is the
/// config.json in it.
std::vector<std::string> files_named_by(const config::Value& document);

}  // namespace pipewright
