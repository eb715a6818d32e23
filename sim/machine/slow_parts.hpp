// Applies stragglers to a cluster.
#pragma once

#include <vector>

#include "experiment/stragglers.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {

/// Returns by device how many times as long it computes: what `stragglers` says, else the inverse
/// of the cluster's `speeds`; empty where neither says anything. Throws InputError.
std::vector<double> slowdowns(const Stragglers& stragglers, const Cluster& cluster);

/// The topology with its narrow links. Throws InputError.
Topology narrowed(const Stragglers& stragglers, const Topology& topology);

}  // namespace pipewright
