#include "kernels/cuda/backend.hpp"

#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

DropMask mask_of(const Dropout& dropout) {
  return drop_mask(dropout.probability, dropout.seed, dropout.stream);
}

}  // namespace

void Activations::gelu(const Tensor& x, const Tensor& y) { cuda::gelu(streams_.stream(), x, y); }

void Activations::gelu_gradient(const Tensor& x, const Tensor& dy, const Tensor& dx) {
  cuda::gelu_gradient(streams_.stream(), x, dy, dx);
}

void Activations::relu(const Tensor& x, const Tensor& y) { cuda::relu(streams_.stream(), x, y); }

void Activations::relu_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  cuda::relu_gradient(streams_.stream(), y, dy, dx);
}

void Activations::swiglu(const Tensor& gate, const Tensor& up, const Tensor& y) {
  cuda::swiglu(streams_.stream(), gate, up, y);
}

void Activations::swiglu_gradient(const Tensor& gate, const Tensor& up, const Tensor& dy,
                                  const Tensor& d_gate, const Tensor& d_up) {
  cuda::swiglu_gradient(streams_.stream(), gate, up, dy, d_gate, d_up);
}

void Activations::dropout_add(const Dropout& dropout, const Tensor& x, const Tensor& residual,
                              const Tensor& y) {
  cuda::dropout_add(streams_.stream(), mask_of(dropout), x, residual, y);
}

void Activations::dropout_gradient(const Dropout& dropout, const Tensor& dy, const Tensor& dx) {
  cuda::dropout_gradient(streams_.stream(), mask_of(dropout), dy, dx);
}

void Activations::softmax(const Tensor& x, const Tensor& y) {
  cuda::softmax(streams_.stream(), x, y);
}

void Activations::softmax_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  cuda::softmax_gradient(streams_.stream(), y, dy, dx);
}

}  // namespace pipewright::kernels::cuda
