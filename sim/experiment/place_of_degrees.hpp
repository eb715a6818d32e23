// Where an experiment says how its model is cut, for messages.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// Returns the degrees as the user wrote them, else the model that they cut.
const config::Value& place_of_degrees(const Experiment& experiment);

}  // namespace pipewright
