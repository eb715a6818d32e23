// Constants of the model of an experiment: a job that does not say them trains another model.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "workload/model/constants.hpp"

namespace pipewright::job {

/// Returns the value on one line.
std::string value_of(const ModelConstant& constant);
/// Returns "rope_theta 1000000".
std::string text_of(const ModelConstant& constant);

/// Returns the constants that the model of an experiment says. Empty for one that says none.
std::vector<ModelConstant> model_constants(const Experiment& experiment);

/// Returns `constants` as the map of a model; null where there are none.
config::Value constants_map(const std::vector<ModelConstant>& constants);

}  // namespace pipewright::job
