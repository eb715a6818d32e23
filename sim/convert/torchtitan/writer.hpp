// An experiment as a job file of torchtitan.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::torchtitan {

/// Returns the job file with the keys of torchtitan v0.2.2 (February 2026). What they cannot say is
/// left to the caller to find. Throws Misfit for a model that is no flavor.
std::string write_job_file(const Experiment& experiment);

}  // namespace pipewright::torchtitan
