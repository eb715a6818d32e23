// Layers of convolutional networks.
#include <cmath>

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

using Form = Kernels::Form;
using kernels::WindowShape;

/// Returns the shape for all samples of the batch.
WindowShape shape_of(WindowShape shape, const Call& call) {
  shape.samples = call.batch.sequences;
  return shape;
}

class Images final : public Layer {
 public:
  Images(int64_t places, int64_t channels) : places_(places), channels_(channels) {}

  Array forward(const Call& call, const Array&) const override {
    Array x = call.kernels.array(call.batch.sequences * places_, channels_);
    call.kernels.upload(call.batch.features, x);
    return x;
  }
  Array input_gradient(const Call&, const Array&) const override { return {}; }
  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  int64_t places_, channels_;
};

/// A product with the patches, which it keeps.
class Convolution final : public Layer {
 public:
  Convolution(const WindowShape& shape, int64_t out) : shape_(shape), out_(out) {}

  int64_t parameters() const override { return out_ * (shape_.patch() + 1); }

  // Twice the variance that keeps the size of sums: ReLU halves it (He et al., arXiv 1502.01852).
  void initialize(Random& random, std::span<float> weights) const override {
    const double deviation = std::sqrt(2 / static_cast<double>(shape_.patch()));
    for (int64_t i = 0; i < parameters(); ++i)
      weights[i] = i < out_ * shape_.patch() ? static_cast<float>(deviation * random.normal()) : 0;
  }

  Array forward(const Call& call, const Array& x) const override {
    const WindowShape shape = shape_of(shape_, call);
    Array patches = call.kernels.array(shape.out_rows(), shape.patch());
    Array y = call.kernels.array(shape.out_rows(), out_);
    call.kernels.unfold(shape, x, patches);
    call.kernels.multiply(patches, Form::plain, matrix(call.weights), Form::transposed, y, false);
    call.kernels.add_bias(bias(call.weights), y);
    call.stash.of(call.batch) = {patches};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    const WindowShape shape = shape_of(shape_, call);
    const Array patches = call.kernels.array(shape.out_rows(), shape.patch());
    Array dx = call.kernels.array(shape.rows(), shape.channels);
    call.kernels.multiply(dy, Form::plain, matrix(call.weights), Form::plain, patches, false);
    call.kernels.fold(shape, patches, dx);
    call.stash.of(call.batch).push_back(dy);
    return dx;
  }

  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    call.kernels.multiply(kept[1], Form::transposed, kept[0], Form::plain, matrix(gradients), true);
    call.kernels.add_rows(kept[1], bias(gradients));
    kept.clear();
  }

 private:
  Tensor matrix(const Tensor& weights) const {
    return {weights.data, out_, shape_.patch(), shape_.patch()};
  }
  Tensor bias(const Tensor& weights) const {
    return {weights.data + out_ * shape_.patch(), 1, out_, out_};
  }
  WindowShape shape_;
  int64_t out_;
};

class MaxPool final : public Layer {
 public:
  explicit MaxPool(const WindowShape& shape) : shape_(shape) {}

  Array forward(const Call& call, const Array& x) const override {
    const WindowShape shape = shape_of(shape_, call);
    Array y = call.kernels.array(shape.out_rows(), shape.channels);
    call.kernels.max_pool(shape, x, y);
    call.stash.of(call.batch) = {x};
    return y;
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    const WindowShape shape = shape_of(shape_, call);
    Array dx = call.kernels.array(shape.rows(), shape.channels);
    call.kernels.max_pool_gradient(shape, kept[0], dy, dx);
    kept.clear();
    return dx;
  }
  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  WindowShape shape_;
};

/// The same numbers seen with other rows.
class Flatten final : public Layer {
 public:
  explicit Flatten(int64_t places) : places_(places) {}

  Array forward(const Call&, const Array& x) const override {
    return seen(x, x.tensor.rows / places_, x.tensor.columns * places_);
  }
  Array input_gradient(const Call&, const Array& dy) const override {
    return seen(dy, dy.tensor.rows * places_, dy.tensor.columns / places_);
  }
  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  static Array seen(const Array& x, int64_t rows, int64_t columns) {
    return {x.memory, {x.tensor.data, rows, columns, columns}};
  }
  int64_t places_;
};

}  // namespace

LayerPointer images(int64_t places, int64_t channels) {
  return std::make_unique<Images>(places, channels);
}
LayerPointer convolution(const WindowShape& shape, int64_t out) {
  return std::make_unique<Convolution>(shape, out);
}
LayerPointer max_pool(const WindowShape& shape) { return std::make_unique<MaxPool>(shape); }
LayerPointer flatten(int64_t places) { return std::make_unique<Flatten>(places); }

}  // namespace pipewright::train
