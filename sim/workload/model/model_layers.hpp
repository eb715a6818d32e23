// Any model as layers.
#pragma once

#include <vector>

#include "workload/layer.hpp"
#include "workload/model/model.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// Returns the layers in model order, each with the work of one device on one micro-batch. Throws
/// Misfit at `where` for degrees of parallelism that the model does not allow.
std::vector<Layer> model_layers(const Model& model, const WorkloadOptions& options,
                                const config::Value& where);

}  // namespace pipewright
