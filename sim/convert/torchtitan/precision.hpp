// The number formats of a torchtitan job.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns `precision` as an experiment has it.
config::Value read_precision(job::Settings& settings);

}  // namespace pipewright::torchtitan
