// How an experiment runs its model.
#pragma once

#include "study/experiment.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// `experiment` must say batch.sequence. Throws InputError.
WorkloadOptions workload_options(const Experiment& experiment);

}  // namespace pipewright
