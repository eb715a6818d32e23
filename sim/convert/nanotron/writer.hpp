// An experiment as a configuration of nanotron.
#pragma once

#include <string>

#include "convert/job/model_constants.hpp"
#include "experiment/experiment.hpp"

namespace pipewright::nanotron {

/// Returns the configuration. What it cannot say is left to the caller to find.
std::string write_config(const Experiment& experiment, const config::Value& along = {});

/// Tells whether it says a constant of the model.
bool says_constant(const Experiment&, const ModelConstant& constant);

}  // namespace pipewright::nanotron
