// Tells how an experiment runs its model.
#pragma once

#include "experiment/experiment.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// `experiment` must say batch.sequence. Throws InputError.
WorkloadOptions workload_options(const Experiment& experiment);

/// Tells whether each layer's weights are gathered only when its turn comes, and waited for, as
/// DeepSpeed did under zero: 3 before 0.5; that is also what unfused attention says of its time.
bool gathers_late(const Experiment& experiment);

}  // namespace pipewright
