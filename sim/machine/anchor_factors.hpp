// The factors by which an experiment's anchor corrects the prices of its machine.
#pragma once

#include "engine/price.hpp"
#include "experiment/experiment.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

/// Returns the factors of the experiment's anchor, all 1 where it has none. Throws Misfit at an
/// anchor of another device or framework. An experiment that names no framework is taken to be of
/// the anchor's.
AnchorParts anchor_factors(const Experiment& experiment, const Cluster& cluster);

/// Returns host times that are `factor` times as long.
HostTimes times(const HostTimes& host, double factor);

}  // namespace pipewright
