// An experiment as a job of Megatron-DeepSpeed: a script that writes DeepSpeed's configuration and
// launches pretrain_gpt.py with it.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::deepspeed {

/// Returns the script. What neither the configuration nor the arguments can say is left to the
/// caller to find.
std::string write_job(const Experiment& experiment);

}  // namespace pipewright::deepspeed
