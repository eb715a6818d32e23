#include "calibrate/train/layer.hpp"

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

}  // namespace

LayerPointer gelu() { return std::make_unique<Gelu>(); }

}  // namespace pipewright::train
