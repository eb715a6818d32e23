// Layers made of layers.
#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

class Chain final : public Layer {
 public:
  explicit Chain(std::vector<LayerPointer> layers) : layers_(std::move(layers)) {}

  int64_t parameters() const override {
    int64_t sum = 0;
    for (const LayerPointer& layer : layers_) sum += layer->parameters();
    return sum;
  }

  void initialize(Random& random, std::span<float> weights) const override {
    for (const LayerPointer& layer : layers_) {
      layer->initialize(random, weights);
      weights = weights.subspan(static_cast<size_t>(layer->parameters()));
    }
  }

  Array forward(const Call& call, const Array& x) const override {
    call.stash.parts.resize(layers_.size());
    Array y = x;
    int64_t offset = 0;
    for (size_t i = 0; i < layers_.size(); offset += layers_[i]->parameters(), ++i)
      y = layers_[i]->forward(part(call, i, offset), y);
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    Array dx = dy;
    int64_t offset = parameters();
    for (size_t i = layers_.size(); i-- > 0;) {
      offset -= layers_[i]->parameters();
      dx = layers_[i]->input_gradient(part(call, i, offset), dx);
    }
    return dx;
  }

  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    int64_t offset = 0;
    for (size_t i = 0; i < layers_.size(); offset += layers_[i]->parameters(), ++i) {
      layers_[i]->weight_gradient(part(call, i, offset),
                                  gradients.column_range(offset, layers_[i]->parameters()));
    }
  }

 private:
  Call part(const Call& call, size_t i, int64_t offset) const {
    return {call.kernels, call.weights.column_range(offset, layers_[i]->parameters()), call.batch,
            call.stash.parts[i]};
  }
  std::vector<LayerPointer> layers_;
};

class Residual final : public Layer {
 public:
  explicit Residual(LayerPointer inner) : inner_(std::move(inner)) {}

  int64_t parameters() const override { return inner_->parameters(); }
  void initialize(Random& random, std::span<float> weights) const override {
    inner_->initialize(random, weights);
  }
  Array forward(const Call& call, const Array& x) const override {
    return sum(call, inner_->forward(call, x), x);
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    return sum(call, inner_->input_gradient(call, dy), dy);
  }
  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    inner_->weight_gradient(call, gradients);
  }

 private:
  /// Returns the sum in a new array: the inner layer may have kept its output, and others the
  /// input.
  static Array sum(const Call& call, const Array& a, const Array& b) {
    Array to = call.kernels.array(a.tensor.rows, a.tensor.columns);
    call.kernels.copy(a, to);
    call.kernels.add(1, b, to);
    return to;
  }
  LayerPointer inner_;
};

class Recomputed final : public Layer {
 public:
  explicit Recomputed(LayerPointer inner) : inner_(std::move(inner)) {}

  int64_t parameters() const override { return inner_->parameters(); }
  void initialize(Random& random, std::span<float> weights) const override {
    inner_->initialize(random, weights);
  }
  Array forward(const Call& call, const Array& x) const override {
    call.stash.parts.resize(1);
    Array y = inner_->forward(inside(call), x);
    call.stash.release(call.batch);
    call.stash.of(call.batch) = {x};
    return y;
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    const Array x = call.stash.of(call.batch)[0];
    call.stash.of(call.batch).clear();
    inner_->forward(inside(call), x);
    return inner_->input_gradient(inside(call), dy);
  }
  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    inner_->weight_gradient(inside(call), gradients);
  }

 private:
  static Call inside(const Call& call) {
    return {call.kernels, call.weights, call.batch, call.stash.parts[0]};
  }
  LayerPointer inner_;
};

}  // namespace

LayerPointer chain(std::vector<LayerPointer> layers) {
  return std::make_unique<Chain>(std::move(layers));
}
LayerPointer residual(LayerPointer inner) { return std::make_unique<Residual>(std::move(inner)); }
LayerPointer recomputed(LayerPointer inner) {
  return std::make_unique<Recomputed>(std::move(inner));
}

}  // namespace pipewright::train
