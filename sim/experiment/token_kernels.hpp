// Whose kernels send tokens to experts.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Tells whether a library of its own sends tokens, as it does where they are sent once a node and
/// nobody says who sends them. Kernels
/// that exchange something else between all devices of a group, heads (`context`) or gradients
/// (`scattered`), are NCCL's; where a job has such, its tokens are taken to go by NCCL too.
bool sends_by_library(const Experiment& experiment);

}  // namespace pipewright
