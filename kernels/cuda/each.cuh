// Element by element over several tensors at once: every functor reads some of them and writes
// some, four neighbours in one access where all are so aligned.
#pragma once

#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/packs.cuh"

namespace pipewright::kernels::cuda {

inline constexpr int each_threads = 256;

inline __device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }

struct View {
  float* data;
  int64_t stride;
};
template <int N>
struct Views {
  View at[N];
  int64_t rows, columns;
};

/// F: `count` views; those of the bit masks `reads` and `writes` are loaded and stored.
template <class F, int Width>
__global__ void each(const Views<F::count> views, F f) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x * Width;
  for (int64_t row = blockIdx.y; row < views.rows; row += gridDim.y) {
    for (int64_t c = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Width; c < views.columns;
         c += step) {
      Pack<Width> packs[F::count];
#pragma unroll
      for (int v = 0; v < F::count; ++v)
        if (F::reads >> v & 1)
          packs[v] = load<Width>(views.at[v].data + row * views.at[v].stride + c);
#pragma unroll
      for (int i = 0; i < Width; ++i) {
        float x[F::count];
#pragma unroll
        for (int v = 0; v < F::count; ++v) x[v] = F::reads >> v & 1 ? packs[v].at[i] : 0;
        f(x);
#pragma unroll
        for (int v = 0; v < F::count; ++v) packs[v].at[i] = x[v];
      }
#pragma unroll
      for (int v = 0; v < F::count; ++v)
        if (F::writes >> v & 1)
          store<Width>(views.at[v].data + row * views.at[v].stride + c, packs[v]);
    }
  }
}

template <int N>
bool all_in_fours(const Views<N>& views) {
  if (views.columns % 4 != 0) return false;
  for (const View& view : views.at)
    if (view.stride % 4 != 0 || reinterpret_cast<uintptr_t>(view.data) % 16 != 0) return false;
  return true;
}

/// Tensors without gaps are one long row.
template <int N>
void join_rows(Views<N>& views) {
  for (const View& view : views.at)
    if (view.stride != views.columns) return;
  views.columns *= views.rows;
  views.rows = 1;
  for (View& view : views.at) view.stride = views.columns;
}

template <class F, class... T>
void for_each(cudaStream_t stream, F f, const Tensor& first, const T&... more) {
  if (first.size() == 0) return;
  Views<F::count> views{
      {{first.data, first.stride}, {more.data, more.stride}...}, first.rows, first.columns};
  join_rows(views);
  const bool fours = all_in_fours(views);
  const int64_t per_block = int64_t{each_threads} * (fours ? 4 : 1);
  const dim3 grid(
      static_cast<unsigned>(std::min((views.columns + per_block - 1) / per_block, int64_t{65535})),
      static_cast<unsigned>(std::min(views.rows, int64_t{65535})));
  if (fours)
    each<F, 4><<<grid, each_threads, 0, stream>>>(views, f);
  else
    each<F, 1><<<grid, each_threads, 0, stream>>>(views, f);
  check_launch("an elementwise kernel");
}

}  // namespace pipewright::kernels::cuda
