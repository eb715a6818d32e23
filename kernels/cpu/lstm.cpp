// The gradients, with t = tanh(c) and dc = dc + dy o (1 - t^2), are of the sums
//   di = dc g i (1 - i),  df = dc c_before f (1 - f),  dg = dc i (1 - g^2),  do = dy t o (1 - o)
// and dc_before = dc f.
#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {
namespace {

/// One gate of four that stand side by side.
auto gate(const Tensor& gates, int k) {
  const int64_t width = gates.columns / 4;
  return map(gates.column_range(k * width, width)).array();
}

}  // namespace

void Sequences::lstm_cell(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                          const Tensor& y) {
  auto i = gate(gates, 0), f = gate(gates, 1), g = gate(gates, 2), o = gate(gates, 3);
  for (auto* sum : {&i, &f, &o}) *sum = 1 / (1 + (-*sum).exp());
  g = g.tanh();
  map(c).array() = f * map(c_before).array() + i * g;
  map(y).array() = o * map(c).array().tanh();
}

void Sequences::lstm_cell_gradient(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                                   const Tensor& dy, const Tensor& dc, const Tensor& d_gates) {
  const auto i = gate(gates, 0), f = gate(gates, 1), g = gate(gates, 2), o = gate(gates, 3);
  const Matrix tanh_c = map(c).array().tanh().matrix();
  const auto t = tanh_c.array();
  auto along = map(dc).array();
  const auto from = map(dy).array();
  along += from * o * (1 - t * t);
  gate(d_gates, 0) = along * g * i * (1 - i);
  gate(d_gates, 1) = along * map(c_before).array() * f * (1 - f);
  gate(d_gates, 2) = along * i * (1 - g * g);
  gate(d_gates, 3) = from * t * o * (1 - o);
  along *= f;
}

}  // namespace pipewright::kernels::cpu
