// The images of an experiment and the vision tower that reads them.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Throws Misfit, at the key of `batch` that is wrong, where the model cannot take the experiment's
/// images or a sequence cannot hold them.
void check_images(const Experiment& experiment);

}  // namespace pipewright
