// The sizes of torchtitan's models, which its job files name only.
#pragma once

#include "convert/job/settings.hpp"
#include "experiment/experiment.hpp"
#include "workload/model/constants.hpp"

namespace pipewright::torchtitan {

/// Returns `model` for the `model.name` and `model.flavor` of a job, and what it changes of them.
/// Throws InputError for a model that is not known or not modelled.
config::Value read_flavor(job::Settings& settings);

/// What a job file calls a model.
struct FlavorName {
  std::string_view model, name;
};

/// Returns the flavor with the sizes of the experiment's transformer. Throws Misfit where there is
/// none.
FlavorName flavor_of(const Experiment& experiment);

/// Tells whether the flavor of the experiment's model has this constant.
bool says_constant(const Experiment& experiment, const ModelConstant& constant);

}  // namespace pipewright::torchtitan
