// Formulas: cpu/swiglu.cpp.
#include "kernels/cuda/each.cuh"

namespace pipewright::kernels::cuda {
namespace {

/// gate, up, y
struct Swiglu {
  static constexpr int count = 3, reads = 0b011, writes = 0b100;
  __device__ void operator()(float* x) const { x[2] = x[0] * sigmoid(x[0]) * x[1]; }
};

/// gate, up, dy, d_gate, d_up
struct SwigluGradient {
  static constexpr int count = 5, reads = 0b00111, writes = 0b11000;
  __device__ void operator()(float* x) const {
    const float share = sigmoid(x[0]);
    x[3] = x[2] * x[1] * share * (1 + x[0] * (1 - share));
    x[4] = x[2] * x[0] * share;
  }
};

}  // namespace

void swiglu(cudaStream_t stream, const Tensor& gate, const Tensor& up, const Tensor& y) {
  for_each(stream, Swiglu{}, gate, up, y);
}

void swiglu_gradient(cudaStream_t stream, const Tensor& gate, const Tensor& up, const Tensor& dy,
                     const Tensor& d_gate, const Tensor& d_up) {
  for_each(stream, SwigluGradient{}, gate, up, dy, d_gate, d_up);
}

}  // namespace pipewright::kernels::cuda
