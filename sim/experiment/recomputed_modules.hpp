// What recompute.modules names must be in the model.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Throws Misfit at the first module that no block of the model has. An experiment whose model is
/// no transformer has none of them.
void require_recomputed_modules(const Experiment& experiment);

}  // namespace pipewright
