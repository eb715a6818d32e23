// An experiment as a configuration of accelerate, and what its program takes as arguments.
#pragma once

#include <map>
#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::accelerate {

/// Returns the configuration. What it cannot say is left to the caller to find.
std::string write_config(const Experiment& experiment);

/// Returns the arguments of the program that `experiment` needs, by the names of transformers.
std::map<std::string, std::string> program_arguments(const Experiment& experiment);

}  // namespace pipewright::accelerate
