// An experiment as a configuration of nanotron.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::nanotron {

/// Returns the configuration. What it cannot say is left to the caller to find.
std::string write_config(const Experiment& experiment);

}  // namespace pipewright::nanotron
