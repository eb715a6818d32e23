// An experiment as a launch script of Megatron-LM.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// Returns the script with the arguments of Megatron-LM of today. What they cannot say is left to
/// the caller to find.
std::string write_script(const Experiment& experiment);

}  // namespace pipewright::megatron
