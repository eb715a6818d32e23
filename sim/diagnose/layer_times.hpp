// The layers of a model in what one rank ran, told by repetition.
//
// A pass launches the kernels of one layer after those of another: the longest part of it in which
// one sequence of kernels comes again and again is its layers. What comes before them in a forward
// pass (embeddings) comes after them in a backward pass, and the first layer is the last there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {

/// `count` times `period` names from `begin` on; the count is 0 where nothing comes twice.
struct NameRepetition {
  size_t begin = 0, period = 0, count = 0;
};

/// The repetition that covers most names; of equal ones that of the shortest period.
NameRepetition longest_repetition(std::span<const uint32_t> names);

/// What the layers of a step take in all its passes, kernels alone: first what comes before them,
/// then each layer, then what comes after. Passes of fewer kernels than two layers, as of a metric
/// that is measured after a step, are of what comes after. Empty where the others do not show the
/// same number of layers in both directions.
std::vector<LayerKernelTime> layer_times(const DeviceWork& work, size_t step);

}  // namespace pipewright::diagnose
