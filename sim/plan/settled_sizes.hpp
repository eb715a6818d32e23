// Settles the sizes that an experiment leaves to its model and its cluster.
#pragma once

#include "experiment/experiment.hpp"
#include "workload/model/model.hpp"

namespace pipewright {

/// Sets the degrees and the batch that `experiment` leaves open, and returns the micro-batches of
/// one iteration. Throws Misfit where they do not fit `devices` or each other.
int settle_sizes(Experiment& experiment, const Model& model, int devices);

}  // namespace pipewright
