// The common part of kernels that work row by row: a block a row, and sums over rows in two passes
// whose order does not depend on which block is faster, so that the same input always gives the
// same bits.
#pragma once

#include <cfloat>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/packs.cuh"

namespace pipewright::kernels::cuda {

inline constexpr int threads = 256, warp = 32;
inline constexpr float norm_epsilon = 1e-5f;  ///< is added to what a norm divides by, as on the CPU

struct Sum {
  static constexpr float start = 0;
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Largest {
  static constexpr float start = -FLT_MAX;
  __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};

/// Reduces over the block; every thread gets the result.
template <class F>
__device__ float over_block(float value, F f) {
  __shared__ float of_warp[threads / warp];
  for (int distance = warp / 2; distance > 0; distance /= 2)
    value = f(value, __shfl_xor_sync(~0u, value, distance));
  __syncthreads();
  if (threadIdx.x % warp == 0) of_warp[threadIdx.x / warp] = value;
  __syncthreads();
  value = F::start;
  for (float part : of_warp) value = f(value, part);
  return value;
}

/// Row blockIdx.y of `partial`: the sums over its share of the rows.
template <class F>
__global__ void sum_shares(F value, int64_t rows, Tensor partial) {
  const int64_t c = int64_t{blockIdx.x} * threads + threadIdx.x;
  if (c >= partial.columns) return;
  const int64_t first = rows * blockIdx.y / gridDim.y, last = rows * (blockIdx.y + 1) / gridDim.y;
  float sum = 0;
  for (int64_t r = first; r < last; ++r) sum += value(r, c);
  partial.data[blockIdx.y * partial.stride + c] = sum;
}

static __global__ void add_shares(Tensor partial, Tensor to) {
  const int64_t c = int64_t{blockIdx.x} * threads + threadIdx.x;
  if (c >= partial.columns) return;
  float sum = 0;
  for (int64_t r = 0; r < partial.rows; ++r) sum += partial.data[r * partial.stride + c];
  to.data[c] += sum;
}

template <class F>
void sum_columns(cudaStream_t stream, F value, int64_t rows, const Tensor& to,
                 const Tensor& partial) {
  const auto across = static_cast<unsigned>((to.columns + threads - 1) / threads);
  const dim3 grid(across, static_cast<unsigned>(partial.rows));
  sum_shares<<<grid, threads, 0, stream>>>(value, rows, partial);
  add_shares<<<across, threads, 0, stream>>>(partial, to);
  check_launch("sum_columns");
}

inline unsigned blocks(const Tensor& tensor) { return static_cast<unsigned>(tensor.rows); }

}  // namespace pipewright::kernels::cuda
