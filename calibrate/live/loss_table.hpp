// Compares how well schedules learn, side by side.
#pragma once

#include "calibrate/live/replay.hpp"

namespace pipewright::live {

/// The loss after about twenty numbers of samples, a column a schedule: schedules that step more
/// often are compared at equal data. Empty where nothing was trained for more than a step.
std::string loss_table(const std::vector<Replay>& replays);

}  // namespace pipewright::live
