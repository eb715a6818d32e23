#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

class LayerNorm final : public Layer {
 public:
  explicit LayerNorm(int64_t width) : width_(width) {}

  int64_t parameters() const override { return 2 * width_; }

  void initialize(Random&, std::span<float> weights) const override {
    for (int64_t i = 0; i < 2 * width_; ++i) weights[i] = i < width_ ? 1 : 0;
  }

  Array forward(const Call& call, const Array& x) const override {
    Array y = call.kernels.array(x.tensor.rows, width_);
    Array statistics = call.kernels.array(x.tensor.rows, 2);
    call.kernels.layer_norm(x, gain(call.weights), bias(call.weights), y, statistics);
    call.stash.of(call.batch) = {x, statistics};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    Array dx = call.kernels.array(dy.tensor.rows, width_);
    call.kernels.layer_norm_input_gradient(kept[0], gain(call.weights), kept[1], dy, dx);
    kept.push_back(dy);
    return dx;
  }

  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    call.kernels.layer_norm_weight_gradient(kept[0], kept[1], kept[2], gain(gradients),
                                            bias(gradients));
    kept.clear();
  }

 private:
  Tensor gain(const Tensor& weights) const { return {weights.data, 1, width_, width_}; }
  Tensor bias(const Tensor& weights) const { return {weights.data + width_, 1, width_, width_}; }
  int64_t width_;
};

}  // namespace

LayerPointer layer_norm(int64_t width) { return std::make_unique<LayerNorm>(width); }

}  // namespace pipewright::train
