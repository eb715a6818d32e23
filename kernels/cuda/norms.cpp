#include "kernels/cuda/backend.hpp"

#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {

void Norms::layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& y,
                       const Tensor& statistics) {
  cuda::layer_norm(streams_.stream(), x, gain, bias, y, statistics);
}

void Norms::layer_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& statistics,
                                      const Tensor& dy, const Tensor& dx) {
  cuda::layer_norm_input_gradient(streams_.stream(), x, gain, statistics, dy, dx);
}

void Norms::layer_norm_weight_gradient(const Tensor& x, const Tensor& statistics, const Tensor& dy,
                                       const Tensor& d_gain, const Tensor& d_bias) {
  const Array partial = streams_.array(partial_rows(dy.rows), dy.columns);
  cuda::layer_norm_gain_gradient(streams_.stream(), x, statistics, dy, d_gain, partial);
  cuda::add_rows(streams_.stream(), dy, d_bias, partial);
}

void Norms::rms_norm(const Tensor& x, const Tensor& gain, const Tensor& y, const Tensor& inverse) {
  cuda::rms_norm(streams_.stream(), x, gain, y, inverse);
}

void Norms::rms_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& inverse,
                                    const Tensor& dy, const Tensor& dx) {
  cuda::rms_norm_input_gradient(streams_.stream(), x, gain, inverse, dy, dx);
}

void Norms::rms_norm_weight_gradient(const Tensor& x, const Tensor& inverse, const Tensor& dy,
                                     const Tensor& d_gain) {
  cuda::rms_norm_weight_gradient(streams_.stream(), x, inverse, dy, d_gain,
                                 streams_.array(partial_rows(dy.rows), dy.columns));
}

}  // namespace pipewright::kernels::cuda
