// A convolutional network as layers.
#pragma once

#include <vector>

#include "workload/cnn/cnn_shape.hpp"
#include "workload/layer.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

/// One layer for each of the shape's, the loss with the last, each with the work of one device on
/// one micro-batch of samples. Throws Misfit at `where` for degrees of parallelism within a layer
/// and InputError where shapes do not fit each other.
std::vector<Layer> cnn_layers(const CnnShape& shape, const WorkloadOptions& options,
                              const config::Value& where);

}  // namespace pipewright
