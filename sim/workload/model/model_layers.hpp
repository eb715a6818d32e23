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

struct ModelParameters {
  double all = 0;
  double active = 0;  ///< that a token passes through
};

/// Returns the parameters of the model. Throws InputError for layers whose own it does not say.
ModelParameters count_parameters(const Model& model);

}  // namespace pipewright
