// A program's ops one after the other on the calling thread: what each takes when nothing else
// runs.
#pragma once

#include <span>

#include "calibrate/live/executor/executor.hpp"

namespace pipewright::live {

/// Runs every op once, in an order that its dependencies and lanes allow. Throws Failure when there
/// is none, with the ops that wait for each other.
Timeline run_alone(const Program& program, DeviceWork& work);

/// The same for several copies at once, the first on the calling thread.
std::vector<Timeline> run_alone(const Program& program, std::span<DeviceWork* const> copies);

/// Returns the durations by op.
std::vector<Time> durations_of(const Timeline& timeline);

/// Returns by op the median length of the ops of its type, over all of `timelines` of the program.
std::vector<Time> typical_durations(const Program& program, const std::vector<Timeline>& timelines);

}  // namespace pipewright::live
