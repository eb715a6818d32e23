// An experiment as overrides of a recipe of Megatron Bridge.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::megatron_bridge {

/// Returns overrides that say every size, and what recipes set otherwise. What Megatron-Core cannot
/// say is left to the caller to find.
std::string write_recipe(const Experiment& experiment, const config::Value& along = {});

}  // namespace pipewright::megatron_bridge
