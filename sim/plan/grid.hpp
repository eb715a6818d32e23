// Places the ranks of the grid.
#pragma once

#include "experiment/experiment.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// The grid of devices, by `parallel` and `placement`, or by `strategy`. `parallel.data` must be
/// known.
Grid make_grid(const Experiment& experiment, int devices);

}  // namespace pipewright
