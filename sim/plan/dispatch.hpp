// Copies of tokens on their way to experts on other nodes.
#pragma once

#include "experiment/experiment.hpp"
#include "program/lower.hpp"
#include "topology/topology.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright {

/// Reads `dispatch`: once-a-node (the default) or each-copy. Throws InputError.
bool sends_once_a_node(const Experiment& experiment);

/// Returns the share of the copies for other nodes that has to be sent where each node gets a token
/// once; 1 on one node.
double once_a_node(const Experts& experts, int nodes);

/// The same for the expert groups of `mesh`, as the first of them lies.
double dispatch_share(const Experts& experts, const Topology& topology, const Mesh& mesh);

/// Scales what goes to experts and back.
void scale_dispatch(std::vector<Layer>& layers, double share);

}  // namespace pipewright
