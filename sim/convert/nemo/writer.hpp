// An experiment as a recipe of NeMo 2.
#pragma once

#include <string>

#include "convert/job/model_constants.hpp"
#include "experiment/experiment.hpp"

namespace pipewright::nemo {

/// Returns the recipe as NeMo-Run writes it, over a GPTConfig that says every size. What NeMo
/// cannot say is left to the caller to find.
std::string write_recipe(const Experiment& experiment, const config::Value& along = {});

/// Tells whether it says a constant of the model.
bool says_constant(const Experiment& experiment, const ModelConstant& constant);

}  // namespace pipewright::nemo
