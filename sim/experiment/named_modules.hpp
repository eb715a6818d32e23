// What recompute.modules and offload.modules name must be in the model.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Throws Misfit at the first module that no block of the model has. An experiment whose model is
/// no transformer has none of them.
void require_named_modules(const Experiment& experiment);

}  // namespace pipewright
