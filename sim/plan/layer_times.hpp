// The times of layers on the devices that hold them, which balanced partitions weigh.
#pragma once

#include <span>
#include <vector>

#include "engine/price.hpp"
#include "plan/stage_placement.hpp"
#include "program/lower.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// Returns the times of all `layers`, with all their passes and what these wait for their host: one
/// list where all devices are alike, else one for each of `stages`, on the slowest device that
/// holds it.
std::vector<std::vector<Time>> layer_times(std::span<const Layer> layers, const Grid& grid,
                                           const Prices& prices, const StagePlacement& placement,
                                           int stages);

}  // namespace pipewright
