#include <cuda_fp8.h>

#include <algorithm>

#include "kernels/cuda/blocks.cuh"

namespace pipewright::kernels::cuda {
namespace {

/// Four numbers a thread: one word is written.
template <class Fp8>
__global__ void narrow(Tensor from, const float* scale, Tensor to) {
  static_assert(sizeof(Fp8) == 1);
  const float factor = 1 / *scale;
  const int64_t step = int64_t{gridDim.x} * threads;
  for (int64_t i = int64_t{blockIdx.x} * threads + threadIdx.x; i < to.rows * to.columns;
       i += step) {
    const int64_t r = i / to.columns, c = i % to.columns;
    const Pack<4> in = load<4>(from.data + r * from.stride + 4 * c);
    Fp8* out = reinterpret_cast<Fp8*>(to.data + r * to.stride + c);
    for (int k = 0; k < 4; ++k) out[k] = Fp8(in.at[k] * factor);  // what is too large saturates
  }
}

template <class Fp8>
void launch(cudaStream_t stream, const Tensor& from, const float* scale, const Tensor& to) {
  const int64_t wanted = (to.size() + threads - 1) / threads;
  const auto grid = static_cast<unsigned>(std::clamp(wanted, int64_t{1}, int64_t{65535}));
  narrow<Fp8><<<grid, threads, 0, stream>>>(from, scale, to);
  check_launch("to_fp8");
}

}  // namespace

void to_e4m3(cudaStream_t stream, const Tensor& from, const float* scale, const Tensor& to) {
  launch<__nv_fp8_e4m3>(stream, from, scale, to);
}

void to_e5m2(cudaStream_t stream, const Tensor& from, const float* scale, const Tensor& to) {
  launch<__nv_fp8_e5m2>(stream, from, scale, to);
}

}  // namespace pipewright::kernels::cuda
