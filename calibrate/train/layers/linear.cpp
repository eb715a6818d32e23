#include <cmath>

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

using Form = Kernels::Form;

class Linear final : public Layer {
 public:
  Linear(int64_t in, int64_t out, bool bias) : in_(in), out_(out), bias_(bias) {}

  int64_t parameters() const override { return out_ * in_ + (bias_ ? out_ : 0); }

  void initialize(Random& random, std::span<float> weights) const override {
    const double deviation = 1 / std::sqrt(static_cast<double>(in_));
    for (int64_t i = 0; i < parameters(); ++i)
      weights[i] = i < out_ * in_ ? static_cast<float>(deviation * random.normal()) : 0;
  }

  Array forward(const Call& call, const Array& x) const override {
    Array y = call.kernels.array(x.tensor.rows, out_);
    call.kernels.multiply(x, Form::plain, matrix(call.weights), Form::transposed, y, false);
    if (bias_) call.kernels.add_bias(bias(call.weights), y);
    call.stash.of(call.batch) = {x};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    Array dx = call.kernels.array(dy.tensor.rows, in_);
    call.kernels.multiply(dy, Form::plain, matrix(call.weights), Form::plain, dx, false);
    call.stash.of(call.batch).push_back(dy);
    return dx;
  }

  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    const Array &x = kept[0], &dy = kept[1];
    call.kernels.multiply(dy, Form::transposed, x, Form::plain, matrix(gradients), true);
    if (bias_) call.kernels.add_rows(dy, bias(gradients));
    kept.clear();
  }

 private:
  Tensor matrix(const Tensor& weights) const { return {weights.data, out_, in_, in_}; }
  Tensor bias(const Tensor& weights) const { return {weights.data + out_ * in_, 1, out_, out_}; }
  int64_t in_, out_;
  bool bias_;
};

}  // namespace

LayerPointer linear(int64_t in, int64_t out, bool bias) {
  return std::make_unique<Linear>(in, out, bias);
}

}  // namespace pipewright::train
