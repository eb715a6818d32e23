// Changes the times of a program as the devices do that its schedule is made for.
#pragma once

#include <vector>

#include "program/program.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

/// Changes `durations` to what they are on the devices that `schedule` is made for: two passes at
/// once on the parts of a device, output that leaves while it is being computed.
void adapt_to_hardware(const schedule::Schedule& schedule, const Program& program,
                       std::vector<Time>& durations);

}  // namespace pipewright
