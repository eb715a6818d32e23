// An experiment as a configuration of torchtitan in Python.
#pragma once

#include <string>

#include "convert/torchtitan/stage_placement.hpp"

namespace pipewright::torchtitan {

/// Returns a program whose function `job` is the configuration, in the form of August 2026. What it
/// cannot say is left to the caller to find. Throws Misfit for a model that torchtitan no longer
/// has, and for what it no longer does.
std::string write_function(const Experiment& experiment, const StagePlacement* placement,
                           const config::Value& along);

/// Returns what of a job file's keys a function has too.
config::Value along_of_function(const config::Value& along, const Experiment& experiment);

}  // namespace pipewright::torchtitan
