// An experiment as a configuration of Primus whose trainer is Megatron-LM's.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::primus {

/// Returns the configuration, whose overrides say every size over the preset on which all of
/// Primus's models rest. What Megatron-LM cannot say is left to the caller to find.
std::string write_config(const Experiment& experiment, const config::Value& along = {});

}  // namespace pipewright::primus
