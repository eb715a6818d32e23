// Prepares an experiment: all that lowering and pricing need.
#pragma once

#include "machine/machine.hpp"
#include "machine/run_options.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Throws InputError; Misfit where the schedule or a degree cannot be for this model and cluster.
Prepared prepare(const Experiment& experiment, const config::Catalogue& catalogue,
                 const RunOptions& options);

// --- parts, each in its own file ---

/// A pipeline of given times.
Prepared prepare_synthetic(const Experiment& experiment, const Machine& machine,
                           const RunOptions& options);
/// A model on a grid of devices.
Prepared prepare_model(const Experiment& experiment, const Machine& machine,
                       const RunOptions& options);

}  // namespace pipewright
