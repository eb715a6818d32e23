#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {

void Activations::softmax(const Tensor& x, const Tensor& y) {
  for (int64_t r = 0; r < x.rows; ++r) {
    const auto in = row(x, r).array();
    auto out = row(y, r).array();
    const float highest = in.maxCoeff();
    out = (in - highest).exp();
    out /= out.sum();
  }
}

void Activations::softmax_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  for (int64_t r = 0; r < y.rows; ++r) {
    const float along = row(y, r).dot(row(dy, r));
    row(dx, r) = (row(y, r).array() * (row(dy, r).array() - along)).matrix();
  }
}

}  // namespace pipewright::kernels::cpu
