// Copies of tokens on their way to experts on other devices.
#pragma once

#include "experiment/experiment.hpp"
#include "program/lower.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Returns the share of what the expert groups of `mesh` exchange that is sent, as the first of
/// them lies; 1 where every copy goes by itself.
double dispatch_share(const Experiment& experiment, const Topology& topology, const Mesh& mesh);

/// Scales what goes to experts and back.
void scale_dispatch(std::vector<Layer>& layers, double share);

}  // namespace pipewright
