// A convolutional network whose products are cut over a grid each in its own way.
#pragma once

#include <vector>

#include "workload/cnn/cnn_shape.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::cnn {

/// `options.signatures` has one for every convolution and dense layer, in their order. Throws
/// Misfit, at the signature or at `where`, for what the sides do not divide and for networks that
/// are no chain.
std::vector<Layer> signed_layers(const CnnShape& shape, const WorkloadOptions& options,
                                 const config::Value& where);

}  // namespace pipewright::cnn
