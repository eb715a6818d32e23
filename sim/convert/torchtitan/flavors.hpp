// The sizes of torchtitan's models, which its job files name only.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns `model.transformer` for the `model.name` and `model.flavor` of a job. Throws InputError
/// for a model that is not known or not modelled.
config::Value read_flavor(job::Settings& settings);

}  // namespace pipewright::torchtitan
