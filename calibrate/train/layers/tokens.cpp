// The two ends of a language model: tokens in, loss out.
#include <cmath>

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

class Embedding final : public Layer {
 public:
  Embedding(int64_t vocabulary, int64_t positions, int64_t width)
      : vocabulary_(vocabulary), positions_(positions), width_(width) {}

  int64_t parameters() const override { return (vocabulary_ + positions_) * width_; }

  // As wide as a linear layer's weights, because a tied table is the last layer's weights as well.
  void initialize(Random& random, std::span<float> weights) const override {
    const double deviation = 1 / std::sqrt(static_cast<double>(width_));
    for (int64_t i = 0; i < parameters(); ++i)
      weights[i] = static_cast<float>(deviation * random.normal());
  }

  Array forward(const Call& call, const Array&) const override {
    Array y = call.kernels.array(call.batch.rows(), width_);
    call.kernels.gather_rows(call.batch.inputs, table(call.weights), y);
    if (positions_ == 0) return y;
    for (int s = 0; s < call.batch.sequences; ++s) {
      call.kernels.add(1, position_rows(call.weights, call.batch),
                       y.tensor.row_range(int64_t{s} * call.batch.tokens, call.batch.tokens));
    }
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    call.stash.of(call.batch) = {dy};
    return {};
  }

  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    call.kernels.scatter_rows(call.batch.inputs, kept[0], table(gradients));
    for (int s = 0; positions_ > 0 && s < call.batch.sequences; ++s) {
      call.kernels.add(1,
                       kept[0].tensor.row_range(int64_t{s} * call.batch.tokens, call.batch.tokens),
                       position_rows(gradients, call.batch));
    }
    kept.clear();
  }

 private:
  Tensor table(const Tensor& weights) const { return {weights.data, vocabulary_, width_, width_}; }
  Tensor position_rows(const Tensor& weights, const Batch& batch) const {
    return Tensor{weights.data + vocabulary_ * width_, positions_, width_, width_}.row_range(
        batch.first, batch.tokens);
  }
  int64_t vocabulary_, positions_, width_;
};

class CrossEntropy final : public Layer {
 public:
  Array forward(const Call& call, const Array& x) const override {
    Array loss = call.kernels.array(1, 1);
    call.kernels.zero(loss);
    Array d_logits = call.kernels.array(x.tensor.rows, x.tensor.columns);
    call.kernels.cross_entropy(x, call.batch.targets, call.batch.loss_scale, d_logits, loss);
    call.stash.of(call.batch) = {d_logits};
    return loss;
  }

  Array input_gradient(const Call& call, const Array&) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    const Array d_logits = kept[0];
    kept.clear();
    return d_logits;
  }

  void weight_gradient(const Call&, const Tensor&) const override {}
};

}  // namespace

LayerPointer embedding(int64_t vocabulary, int64_t positions, int64_t width) {
  return std::make_unique<Embedding>(vocabulary, positions, width);
}
LayerPointer cross_entropy() { return std::make_unique<CrossEntropy>(); }

}  // namespace pipewright::train
