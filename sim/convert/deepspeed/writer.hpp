// An experiment as a job of Megatron-DeepSpeed: a script that writes DeepSpeed's configuration and
// launches pretrain_gpt.py with it.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::deepspeed {

/// Returns the script. What neither the configuration nor the arguments can say is left to the
/// caller to find. What goes `along` (along.hpp) stands beside it.
std::string write_job(const Experiment& experiment, const config::Value& along = {});

/// Returns half a line: which hosts its launcher starts it on; empty for one host.
std::string started(const Experiment& experiment);

}  // namespace pipewright::deepspeed
