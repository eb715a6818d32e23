// The kernels that the blocks of a transformer run between their products.
#include "base/error.hpp"
#include "kernels/cuda/backend.hpp"
#include "kernels/cuda/launch.hpp"

#include <fmt/format.h>

namespace pipewright::kernels::cuda {
namespace {

DropMask mask_of(const Dropout& dropout) {
  return drop_mask(dropout.probability, dropout.seed, dropout.stream);
}

}  // namespace

void Backend::rms_norm(const Tensor& x, const Tensor& gain, const Tensor& y,
                       const Tensor& inverse) {
  cuda::rms_norm(stream(), x, gain, y, inverse);
}

void Backend::rms_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& inverse,
                                      const Tensor& dy, const Tensor& dx) {
  cuda::rms_norm_input_gradient(stream(), x, gain, inverse, dy, dx);
}

void Backend::rms_norm_weight_gradient(const Tensor& x, const Tensor& inverse, const Tensor& dy,
                                       const Tensor& d_gain) {
  cuda::rms_norm_weight_gradient(stream(), x, inverse, dy, d_gain,
                                 array(partial_rows(dy.rows), dy.columns));
}

void Backend::swiglu(const Tensor& gate, const Tensor& up, const Tensor& y) {
  cuda::swiglu(stream(), gate, up, y);
}

void Backend::swiglu_gradient(const Tensor& gate, const Tensor& up, const Tensor& dy,
                              const Tensor& d_gate, const Tensor& d_up) {
  cuda::swiglu_gradient(stream(), gate, up, dy, d_gate, d_up);
}

void Backend::rotate(const RotaryShape& shape, Turn turn, const Tensor& x, const Tensor& y) {
  if (shape.head_dim > most_head_dim)
    throw Failure(fmt::format("CUDA: heads of {} numbers are too wide to be turned, at most {}",
                              shape.head_dim, most_head_dim));
  cuda::rotate(stream(), shape, turn == Turn::backward, x, y);
}

void Backend::dropout_add(const Dropout& dropout, const Tensor& x, const Tensor& residual,
                          const Tensor& y) {
  cuda::dropout_add(stream(), mask_of(dropout), x, residual, y);
}

void Backend::dropout_gradient(const Dropout& dropout, const Tensor& dy, const Tensor& dx) {
  cuda::dropout_gradient(stream(), mask_of(dropout), dy, dx);
}

void Backend::softmax(const Tensor& x, const Tensor& y) { cuda::softmax(stream(), x, y); }

void Backend::softmax_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  cuda::softmax_gradient(stream(), y, dy, dx);
}

}  // namespace pipewright::kernels::cuda
