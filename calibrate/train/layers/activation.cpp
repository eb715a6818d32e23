#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

class Gelu final : public Layer {
 public:
  Array forward(const Call& call, const Array& x) const override {
    Array y = call.kernels.array(x.tensor.rows, x.tensor.columns);
    call.kernels.gelu(x, y);
    call.stash.of(call.batch) = {x};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    Array dx = call.kernels.array(dy.tensor.rows, dy.tensor.columns);
    call.kernels.gelu_gradient(call.stash.of(call.batch)[0], dy, dx);
    call.stash.of(call.batch).clear();
    return dx;
  }

  void weight_gradient(const Call&, const Tensor&) const override {}
};

/// Keeps its output: where that is above 0 its input was.
class Relu final : public Layer {
 public:
  Array forward(const Call& call, const Array& x) const override {
    Array y = call.kernels.array(x.tensor.rows, x.tensor.columns);
    call.kernels.relu(x, y);
    call.stash.of(call.batch) = {y};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    Array dx = call.kernels.array(dy.tensor.rows, dy.tensor.columns);
    call.kernels.relu_gradient(call.stash.of(call.batch)[0], dy, dx);
    call.stash.of(call.batch).clear();
    return dx;
  }

  void weight_gradient(const Call&, const Tensor&) const override {}
};

}  // namespace

LayerPointer relu() { return std::make_unique<Relu>(); }
LayerPointer gelu() { return std::make_unique<Gelu>(); }

}  // namespace pipewright::train
