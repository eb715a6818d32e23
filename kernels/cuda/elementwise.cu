#include <cuda_bf16.h>

#include "kernels/cuda/each.cuh"

namespace pipewright::kernels::cuda {
namespace {

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
  for_each(stream, Add{factor}, from, to);
}

void gelu(cudaStream_t stream, const Tensor& x, const Tensor& y) { for_each(stream, Gelu{}, x, y); }

void gelu_gradient(cudaStream_t stream, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  for_each(stream, GeluGradient{}, x, dy, dx);
}

void relu(cudaStream_t stream, const Tensor& x, const Tensor& y) { for_each(stream, Relu{}, x, y); }

void relu_gradient(cudaStream_t stream, const Tensor& y, const Tensor& dy, const Tensor& dx) {
  for_each(stream, ReluGradient{}, y, dy, dx);
}

void add_bias(cudaStream_t stream, const Tensor& bias, const Tensor& y) {
  Tensor every_row = bias;
  every_row.stride = 0;
  for_each(stream, AddBias{}, y, every_row);
}

void momentum_step(cudaStream_t stream, float learning_rate, float momentum, const Tensor& gradient,
                   const Tensor& velocity, const Tensor& weights) {
  for_each(stream, Momentum{learning_rate, momentum}, gradient, velocity, weights);
}

void adam_step(cudaStream_t stream, const AdamFactors& factors, const Tensor& gradient,
               const Tensor& first, const Tensor& second, const Tensor& weights) {
  for_each(stream, Adam{factors}, gradient, first, second, weights);
}

void adam_direction(cudaStream_t stream, const AdamFactors& factors, const Tensor& first,
                    const Tensor& second, const Tensor& to) {
  for_each(stream, AdamDirection{factors}, first, second, to);
}

void to_bf16(cudaStream_t stream, const Tensor& from, const Tensor& to) {
  narrow<<<1024, each_threads, 0, stream>>>(from.data, reinterpret_cast<__nv_bfloat16*>(to.data),
                                            from.size());
  check_launch("to_bf16");
}

void spin(cudaStream_t stream, int64_t nanoseconds) {
  watch_clock<<<1, 1, 0, stream>>>(nanoseconds);
  check_launch("spin");
}

}  // namespace pipewright::kernels::cuda
