// Layers of convolutional networks whose images are cut into strips of rows, one for each rank of a
// group: a halo exchange brings each rank what its windows see beyond its own rows, and in the
// backward pass its adjoint gives the gradients of those home (Dryden et al., arXiv 1903.06681;
// Hewett, Grady: arXiv 2006.03108). Weights are whole everywhere.
#pragma once

#include <functional>

#include "calibrate/train/layers/sequence.hpp"

namespace pipewright::train {

/// One strip of how many.
struct Strip {
  int number = 0, count = 1;
};

struct StripExchange {
  bool forward = false, backward = false;
};

/// `shape` of a whole sample; `make` gives the layer for a part of it, rows beyond the border being
/// 0 and standing in the part.
SharedLayerPointer strip_windows(
    const kernels::WindowShape& shape, int64_t out_channels, const Strip& strip,
    const StripExchange& exchanges,
    const std::function<LayerPointer(const kernels::WindowShape&)>& make);

/// Strips, of `rows` rows of `row` numbers with `channels` to a place, of all samples become a part
/// of the samples; with a gradient, the other way round.
SharedLayerPointer share_out_samples(int64_t rows, int64_t row, int64_t channels,
                                     const Strip& strip, bool has_gradient);

/// Ignores its input: the strip's rows of the batch's features.
LayerPointer image_strip(int64_t rows, int64_t row, int64_t channels, const Strip& strip);

}  // namespace pipewright::train
