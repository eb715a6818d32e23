// An experiment as a job file of torchtitan.
#pragma once

#include <string>
#include <vector>

#include "convert/torchtitan/stage_placement.hpp"

namespace pipewright::torchtitan {

/// Returns the job file with the keys of torchtitan v0.2.2 (February 2026). What they cannot say is
/// left to the caller to find. Stages lie as `placement` says, or, where it is null, as the
/// schedule's name does. What goes `along` (along.hpp) stands beside it. Throws Misfit for a model
/// that is no flavor.
std::string write_job_file(const Experiment& experiment, const StagePlacement* placement = nullptr,
                           const config::Value& along = {});

/// Returns the document that the job file is.
config::Value job_document(const Experiment& experiment, const StagePlacement* placement,
                           const config::Value& along);

/// Returns what would stop the job on its devices, a line each: MXFP8 on those that lack it.
std::vector<std::string> warnings(const Experiment& experiment);

}  // namespace pipewright::torchtitan
