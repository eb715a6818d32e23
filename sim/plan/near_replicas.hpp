// Neighbouring replicas that exchange among themselves first, where weights are cut over all.
#pragma once

#include "experiment/experiment.hpp"
#include "program/lower.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Returns how many replicas hold a second piece of the weights each (`parallel.secondary`), or are
/// on a node where gradients are exchanged by node (`parallel.scattered`); 0: neither is said.
/// Routed experts that devices share have no second piece: those that hold the same exchange them.
/// Throws Misfit where they do not divide the replicas.
int near_replicas(const Experiment& experiment, const Mesh& mesh, const Topology& topology);

}  // namespace pipewright
