// Pairs of passes that hide each other's exchanges with experts.
#pragma once

#include "experiment/experiment.hpp"
#include "program/lower.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

/// Settles `overlap.expert` by what was left open: pairs where `schedule` has them and `grid` has
/// experts on several devices. Throws Misfit where pairs are asked for and cannot be.
void settle_expert_overlap(Experiment& experiment, const Grid& grid,
                           const schedule::Schedule& schedule);

}  // namespace pipewright
