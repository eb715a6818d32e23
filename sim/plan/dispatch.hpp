// Copies of tokens on their way to experts on other devices.
#pragma once

#include <string>

#include "experiment/experiment.hpp"
#include "machine/machine.hpp"
#include "program/lower.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Sets whose kernels send tokens where a library does and the experiment leaves it to the machine.
void settle_kernels(Experiment& experiment, const Machine& machine);

/// Returns a note where DeepEP's kernels, which were measured within servers, send in a rack that
/// NVLink joins; else empty.
std::string extrapolated_kernels(const Experiment& experiment, const Machine& machine);

/// Returns the share of what the expert groups of `mesh` exchange that is sent, as the first of
/// them lies; 1 where every copy goes by itself.
double dispatch_share(const Experiment& experiment, const Topology& topology, const Mesh& mesh);

/// Scales what goes to experts and back.
void scale_dispatch(std::vector<Layer>& layers, double share);

}  // namespace pipewright
