// An experiment as a document again.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright {

/// The experiment with every default filled in.
config::Value resolved_document(const Experiment& experiment);

}  // namespace pipewright
