// The derivative of gate s, with s = sigmoid(gate), is s (1 + gate (1 - s)).
#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {

void Activations::swiglu(const Tensor& gate, const Tensor& up, const Tensor& y) {
  const auto g = map(gate).array();
  map(y) = (g * g.logistic() * map(up).array()).matrix();
}

void Activations::swiglu_gradient(const Tensor& gate, const Tensor& up, const Tensor& dy,
                                  const Tensor& d_gate, const Tensor& d_up) {
  Eigen::Array<float, 1, Eigen::Dynamic> share(gate.columns);
  for (int64_t r = 0; r < gate.rows; ++r) {
    const auto g = row(gate, r).array(), from = row(dy, r).array();
    share = g.logistic();
    const auto slope = share * (1 + g * (1 - share));
    // Both are worked out before either is written: they may stand where the inputs do.
    const Eigen::Array<float, 1, Eigen::Dynamic> of_gate = from * row(up, r).array() * slope;
    row(d_up, r) = (from * g * share).matrix();
    row(d_gate, r) = of_gate.matrix();
  }
}

}  // namespace pipewright::kernels::cpu
