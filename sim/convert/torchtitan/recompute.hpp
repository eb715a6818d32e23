// What a torchtitan job runs again before the backward pass.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns `recompute` as an experiment has it; null where nothing is run again. The model's
/// `layers` are in `stages`.
config::Value read_recompute(job::Settings& settings, int64_t layers, int64_t stages);

}  // namespace pipewright::torchtitan
