// An experiment as a configuration of accelerate, and what its program takes as arguments.
#pragma once

#include <map>
#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::accelerate {

/// Returns the configuration. What it cannot say is left to the caller to find. What goes `along`
/// (job/carried.hpp) stands beside it, where it is of the plugin that is written.
std::string write_config(const Experiment& experiment, const config::Value& along = {});

/// Returns the arguments of the program that `experiment` needs, by the names of transformers.
std::map<std::string, std::string> program_arguments(const Experiment& experiment);

/// Returns half a line: how its machines start it; empty for one machine.
std::string started(const Experiment& experiment);

}  // namespace pipewright::accelerate
