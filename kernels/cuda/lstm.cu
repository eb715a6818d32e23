// A thread for every number of the cell; formulas as in kernels/cpu/lstm.cpp.
#include <algorithm>

#include "kernels/cuda/each.cuh"

namespace pipewright::kernels::cuda {
namespace {

__device__ float* at(const Tensor& t, int64_t row, int64_t column) {
  return t.data + row * t.stride + column;
}

__global__ void cell(Tensor gates, Tensor c_before, Tensor c, Tensor y) {
  const int64_t h = c.columns, step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < c.rows * h; n += step) {
    const int64_t r = n / h, k = n % h;
    const float i = sigmoid(*at(gates, r, k)), f = sigmoid(*at(gates, r, h + k));
    const float g = tanhf(*at(gates, r, 2 * h + k)), o = sigmoid(*at(gates, r, 3 * h + k));
    *at(gates, r, k) = i;
    *at(gates, r, h + k) = f;
    *at(gates, r, 2 * h + k) = g;
    *at(gates, r, 3 * h + k) = o;
    const float state = f * *at(c_before, r, k) + i * g;
    *at(c, r, k) = state;
    *at(y, r, k) = o * tanhf(state);
  }
}

__global__ void cell_gradient(Tensor gates, Tensor c_before, Tensor c, Tensor dy, Tensor dc,
                              Tensor d_gates) {
  const int64_t h = c.columns, step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < c.rows * h; n += step) {
    const int64_t r = n / h, k = n % h;
    const float i = *at(gates, r, k), f = *at(gates, r, h + k);
    const float g = *at(gates, r, 2 * h + k), o = *at(gates, r, 3 * h + k);
    const float t = tanhf(*at(c, r, k)), from = *at(dy, r, k);
    const float along = *at(dc, r, k) + from * o * (1 - t * t);
    *at(d_gates, r, k) = along * g * i * (1 - i);
    *at(d_gates, r, h + k) = along * *at(c_before, r, k) * f * (1 - f);
    *at(d_gates, r, 2 * h + k) = along * i * (1 - g * g);
    *at(d_gates, r, 3 * h + k) = from * t * o * (1 - o);
    *at(dc, r, k) = along * f;
  }
}

unsigned blocks(const Tensor& c) {
  return static_cast<unsigned>(
      std::clamp((c.size() + each_threads - 1) / each_threads, int64_t{1}, int64_t{65535}));
}

}  // namespace

void lstm_cell(cudaStream_t stream, const Tensor& gates, const Tensor& c_before, const Tensor& c,
               const Tensor& y) {
  cell<<<blocks(c), each_threads, 0, stream>>>(gates, c_before, c, y);
  check_launch("lstm_cell");
}

void lstm_cell_gradient(cudaStream_t stream, const Tensor& gates, const Tensor& c_before,
                        const Tensor& c, const Tensor& dy, const Tensor& dc,
                        const Tensor& d_gates) {
  cell_gradient<<<blocks(c), each_threads, 0, stream>>>(gates, c_before, c, dy, dc, d_gates);
  check_launch("lstm_cell_gradient");
}

}  // namespace pipewright::kernels::cuda
