// The files that an experiment names.
#pragma once

#include "config/value.hpp"

namespace pipewright {

/// Makes the paths of the files that an experiment names absolute, as seen from the files that name
/// them: what is written anywhere else then finds them.
void make_paths_absolute(config::Value& document);

}  // namespace pipewright
