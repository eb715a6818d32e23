// A layer that moves windows over images, the images' rows of places cut over workers: a halo
// exchange brings each worker what its windows see beyond its own rows, the layer runs on that, and
// in the backward pass the exchange's adjoint gives the gradients of the halo back. All workers
// have the weights: their gradients are summed. (Hewett, Grady: arXiv 2006.03108.)
#pragma once

#include <functional>

#include "calibrate/train/layers/data_movement.hpp"

namespace pipewright::train {

class SpatialLayer {
 public:
  using Make = std::function<LayerPointer(const kernels::WindowShape&)>;

  /// `shape` of a whole sample; `make` gives the layer for a part of it, whose rows beyond the
  /// border are 0 and stand in the part: padding above and below is for convolutions alone.
  SpatialLayer(const kernels::WindowShape& shape, int64_t out_channels, int workers,
               const Make& make);

  /// Columns are the numbers of a sample: rows are samples.
  Workers forward(Kernels& kernels, const Tensor& weights, const Workers& x);
  /// Adds to `gradients`. After forward().
  Workers backward(Kernels& kernels, const Tensor& weights, const Workers& dy,
                   const Tensor& gradients);
  /// Returns what workers have of its input; below, of its output.
  const std::vector<Range>& in() const { return movement_.own; }
  const std::vector<Range>& out() const { return out_; }

 private:
  Movement movement_;
  std::vector<Range> out_;
  std::vector<LayerPointer> layers_;  ///< by worker
  std::vector<int64_t> places_;       ///< of a sample that a worker's layer sees
  std::vector<Stash> stashes_;
  int64_t channels_, out_channels_;
};

}  // namespace pipewright::train
