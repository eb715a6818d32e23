#include "calibrate/train/parallel/spatial.hpp"

#include "base/error.hpp"
#include "calibrate/train/layers/exchange.hpp"

namespace pipewright::train {
namespace {

using kernels::WindowShape;

Batch samples(int64_t count) {
  return {.sequences = static_cast<int>(count), .tokens = 1, .total = 1};
}

}  // namespace

SpatialLayer::SpatialLayer(const WindowShape& shape, int64_t out_channels, int workers,
                           const Make& make)
    : stashes_(static_cast<size_t>(workers)),
      channels_(shape.channels),
      out_channels_(out_channels) {
  const int64_t in_row = int64_t{shape.width} * shape.channels;
  const int64_t out_row = shape.out_width() * out_channels;
  movement_.own = even_parts(shape.height * in_row, workers, in_row);
  out_ = even_parts(shape.out_height() * out_row, workers, out_row);
  for (const Range& range : out_) {
    ensure(range.count > 0, "every worker has a row of the output");
    const int64_t first = range.first / out_row, count = range.count / out_row;
    const int64_t top = first * shape.stride - shape.pad_height;
    const int64_t height = (count - 1) * shape.stride + shape.window_height;
    movement_.want.push_back({top * in_row, height * in_row});
    WindowShape own = shape;
    own.height = static_cast<int>(height);
    own.pad_height = 0;
    layers_.push_back(make(own));
    places_.push_back(height * shape.width);
  }
}

Workers SpatialLayer::forward(Kernels& kernels, const Tensor& weights, const Workers& x) {
  const Workers seen = train::forward(movement_, kernels, x);
  Workers y;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Batch batch = samples(seen[i].tensor.rows);
    const Array one = layers_[i]->forward({kernels, weights, batch, stashes_[i]},
                                          with_columns(seen[i], channels_));
    y.push_back(with_columns(one, out_[i].count));
  }
  return y;
}

Workers SpatialLayer::backward(Kernels& kernels, const Tensor& weights, const Workers& dy,
                               const Tensor& gradients) {
  Workers seen;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Batch batch = samples(dy[i].tensor.rows);
    const Call call{kernels, weights, batch, stashes_[i]};
    const Array one = layers_[i]->input_gradient(call, with_columns(dy[i], out_channels_));
    layers_[i]->weight_gradient(call, gradients);
    seen.push_back(with_columns(one, places_[i] * channels_));
  }
  return adjoint(movement_, kernels, seen);
}

}  // namespace pipewright::train
