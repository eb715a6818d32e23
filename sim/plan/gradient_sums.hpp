// What a device moves to add up gradients over the micro-batches of an iteration.
#pragma once

#include "experiment/experiment.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// Adds the kernels that add a micro-batch's gradients to those before to the weight gradients of
/// `layers`, where the products of `experiment`'s framework do not; see gradient_sums.cpp.
void add_gradient_sums(const Experiment& experiment, std::vector<Layer>& layers);

}  // namespace pipewright
