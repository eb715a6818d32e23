// What stages that are not alike send each other.
#pragma once

#include <vector>

#include "machine/machine.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// Between stages that are not alike: how long their tensors take, which joins `prices`, and the
/// numbers by which it knows them. Empty where nothing is resharded. `batch` must be settled.
std::vector<Joint> add_joints(const Experiment& experiment, const Grid& grid,
                              const Machine& machine, Prices& prices);

}  // namespace pipewright
