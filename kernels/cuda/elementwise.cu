// Element by element over several tensors at once: every functor reads some of them and writes
// some, four neighbours in one access where all are so aligned.
#include <cuda_bf16.h>

#include <algorithm>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

constexpr int threads = 256;

struct View {
  float* data;
  int64_t stride;
};
template <int N>
struct Views {
  View at[N];
  int64_t rows, columns;
};

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
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
          packs[v] = *reinterpret_cast<const Pack<Width>*>(views.at[v].data +
                                                           row * views.at[v].stride + c);
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
          *reinterpret_cast<Pack<Width>*>(views.at[v].data + row * views.at[v].stride + c) =
              packs[v];
    }
  }
}

template <int N>
bool in_fours(const Views<N>& views) {
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
void launch(cudaStream_t stream, F f, const Tensor& first, const T&... more) {
  if (first.size() == 0) return;
  Views<F::count> views{
      {{first.data, first.stride}, {more.data, more.stride}...}, first.rows, first.columns};
  join_rows(views);
  const bool fours = in_fours(views);
  const int64_t per_block = int64_t{threads} * (fours ? 4 : 1);
  const dim3 grid(
      static_cast<unsigned>(std::min((views.columns + per_block - 1) / per_block, int64_t{65535})),
      static_cast<unsigned>(std::min(views.rows, int64_t{65535})));
  if (fours)
    each<F, 4><<<grid, threads, 0, stream>>>(views, f);
  else
    each<F, 1><<<grid, threads, 0, stream>>>(views, f);
  check_launch("an elementwise kernel");
}

struct Add {
  static constexpr int count = 2, reads = 0b11, writes = 0b10;
  float factor;
  __device__ void operator()(float* x) const { x[1] += factor * x[0]; }
};

struct AddBias {
  static constexpr int count = 2, reads = 0b11, writes = 0b01;
  __device__ void operator()(float* x) const { x[0] += x[1]; }
};

__device__ float normal_distribution(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
__device__ float normal_density(float x) { return 0.39894228f * expf(-0.5f * x * x); }

struct Gelu {
  static constexpr int count = 2, reads = 0b01, writes = 0b10;
  __device__ void operator()(float* x) const { x[1] = x[0] * normal_distribution(x[0]); }
};

struct GeluGradient {
  static constexpr int count = 3, reads = 0b011, writes = 0b100;
  __device__ void operator()(float* x) const {
    x[2] = x[1] * (normal_distribution(x[0]) + x[0] * normal_density(x[0]));
  }
};

struct Relu {
  static constexpr int count = 2, reads = 0b01, writes = 0b10;
  __device__ void operator()(float* x) const { x[1] = fmaxf(x[0], 0); }
};

struct ReluGradient {
  static constexpr int count = 3, reads = 0b011, writes = 0b100;
  __device__ void operator()(float* x) const { x[2] = x[0] > 0 ? x[1] : 0; }
};

/// gradient, velocity, weights
struct Momentum {
  static constexpr int count = 3, reads = 0b111, writes = 0b110;
  float learning_rate, momentum;
  __device__ void operator()(float* x) const {
    x[1] = momentum * x[1] + x[0];
    x[2] -= learning_rate * x[1];
  }
};

__device__ float adam_ratio(const AdamFactors& f, float first, float second) {
  return first * f.correct_first / (sqrtf(second * f.correct_second) + f.epsilon);
}

/// gradient, first, second, weights
struct Adam {
  static constexpr int count = 4, reads = 0b1111, writes = 0b1110;
  AdamFactors f;
  __device__ void operator()(float* x) const {
    x[1] = f.beta1 * x[1] + (1 - f.beta1) * x[0];
    x[2] = f.beta2 * x[2] + (1 - f.beta2) * x[0] * x[0];
    x[3] = f.keep * x[3] - f.learning_rate * adam_ratio(f, x[1], x[2]);
  }
};

/// first, second, to
struct AdamDirection {
  static constexpr int count = 3, reads = 0b011, writes = 0b100;
  AdamFactors f;
  __device__ void operator()(float* x) const { x[2] = adam_ratio(f, x[0], x[1]); }
};

__global__ void narrow(const float* from, __nv_bfloat16* to, int64_t count) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = __float2bfloat16(from[i]);
}

__device__ int64_t clock_ns() {
  int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void watch_clock(int64_t nanoseconds) {
  const int64_t end = clock_ns() + nanoseconds;
  while (clock_ns() < end) {
  }
}

}  // namespace

void add(cudaStream_t stream, float factor, const Tensor& from, const Tensor& to) {
  launch(stream, Add{factor}, from, to);
}

void gelu(cudaStream_t stream, const Tensor& x, const Tensor& y) { launch(stream, Gelu{}, x, y); }

void gelu_gradient(cudaStream_t stream, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  launch(stream, GeluGradient{}, x, dy, dx);
}

void relu(cudaStream_t stream, const Tensor& x, const Tensor& y) { launch(stream, Relu{}, x, y); }

void relu_gradient(cudaStream_t stream, const Tensor& y, const Tensor& dy, const Tensor& dx) {
  launch(stream, ReluGradient{}, y, dy, dx);
}

void add_bias(cudaStream_t stream, const Tensor& bias, const Tensor& y) {
  Tensor every_row = bias;
  every_row.stride = 0;
  launch(stream, AddBias{}, y, every_row);
}

void momentum_step(cudaStream_t stream, float learning_rate, float momentum, const Tensor& gradient,
                   const Tensor& velocity, const Tensor& weights) {
  launch(stream, Momentum{learning_rate, momentum}, gradient, velocity, weights);
}

void adam_step(cudaStream_t stream, const AdamFactors& factors, const Tensor& gradient,
               const Tensor& first, const Tensor& second, const Tensor& weights) {
  launch(stream, Adam{factors}, gradient, first, second, weights);
}

void adam_direction(cudaStream_t stream, const AdamFactors& factors, const Tensor& first,
                    const Tensor& second, const Tensor& to) {
  launch(stream, AdamDirection{factors}, first, second, to);
}

void to_bf16(cudaStream_t stream, const Tensor& from, const Tensor& to) {
  narrow<<<1024, threads, 0, stream>>>(from.data, reinterpret_cast<__nv_bfloat16*>(to.data),
                                       from.size());
  check_launch("to_bf16");
}

void spin(cudaStream_t stream, int64_t nanoseconds) {
  watch_clock<<<1, 1, 0, stream>>>(nanoseconds);
  check_launch("spin");
}

}  // namespace pipewright::kernels::cuda
