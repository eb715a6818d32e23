// The time that hosts take to start kernels, by framework.
#pragma once

#include "engine/price.hpp"
#include "experiment/experiment.hpp"

namespace pipewright {

/// Returns what starting kernels takes in an experiment.
HostTimes host_times(const Experiment& experiment);

}  // namespace pipewright
