// Configurations of NeMo 1's language models for jobs that came of one.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright::nemo {

/// How what goes along with a configuration of NeMo 1 is called in the comments of an experiment.
inline constexpr std::string_view config_format = "nemo-1";

/// Returns the configuration of the experiment (YAML), with `along` under what it does not say.
/// Throws InputError for what NeMo 1 cannot do.
std::string write_config(const Experiment& experiment, const config::Value& along);

}  // namespace pipewright::nemo
