// What a rank holds all the time, for all its stages.
#pragma once

#include "plan/staged_model.hpp"
#include "result/memory_use.hpp"

namespace pipewright {

/// Returns what each device of `rank` holds from the first micro-batch to the last.
MemoryUse rank_memory(const StagedModel& model, int rank);

/// Tells whether the weights fit on the chip of every device of the stage, beside those of its
/// other stages.
bool weights_fit_on_chip(const StagedModel& model, int stage);

}  // namespace pipewright
