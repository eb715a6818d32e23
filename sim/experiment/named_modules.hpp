// What recompute.modules, offload.modules and launches.graphs name must be in the model.
#pragma once

#include <string_view>

#include "experiment/experiment.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright {

/// Tells whether a block of a model has what Megatron-Core calls `module`.
bool has_module(const TransformerShape& shape, std::string_view module);

/// Throws Misfit at the first module that no block of the model has. An experiment whose model is
/// no transformer has none of them.
void require_named_modules(const Experiment& experiment);

}  // namespace pipewright
