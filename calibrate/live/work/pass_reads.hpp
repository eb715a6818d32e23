// Which weights the passes of a schedule read.
#pragma once

#include "calibrate/train/reference/training.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::live {

/// Returns which weights one pass reads.
train::Reads reads_of(const schedule::Schedule& schedule, const schedule::Action& action);
/// Returns which weights all passes of `schedule` read.
train::PassReads reads_of(const schedule::Schedule& schedule);

/// Returns how many calls of a StageState's passes a pass makes.
inline int reads_made(schedule::Pass pass) { return pass == schedule::Pass::backward ? 2 : 1; }

}  // namespace pipewright::live
