// Resharding edges: what stages that are not alike send each other.
#pragma once

#include <vector>

#include "machine/machine.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// Returns the edges between stages that are not alike, adds the times of their tensors to
/// `prices`, and numbers them as `prices` does. Empty where nothing is resharded. `batch` must be
/// settled.
std::vector<ReshardingEdge> add_resharding_edges(const Experiment& experiment, const Grid& grid,
                                                 const Machine& machine, Prices& prices);

}  // namespace pipewright
