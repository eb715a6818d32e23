// The times of stages, by which schedules order passes and cut sequences.
#pragma once

#include "plan/staged_model.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

/// Returns the times of all stages of `model`. `model.job` must outlive them.
schedule::StageCosts stage_costs(const StagedModel& model);

}  // namespace pipewright
