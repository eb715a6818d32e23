// Formulas: cpu/rms_norm.cpp.
#include "kernels/cuda/blocks.cuh"

namespace pipewright::kernels::cuda {
namespace {

template <int Width>
__global__ void divide_by_rms(Tensor x, Tensor gain, Tensor y, Tensor inverse) {
  const float* in = x.data + blockIdx.x * x.stride;
  float* out = y.data + blockIdx.x * y.stride;
  float squares = 0;
  for (int64_t c = threadIdx.x * Width; c < x.columns; c += threads * Width) {
    const Pack<Width> pack = load<Width>(in + c);
    for (const float number : pack.at) squares += number * number;
  }
  const float mean = over_block(squares, Sum{}) / static_cast<float>(x.columns);
  const float scale = 1 / sqrtf(mean + norm_epsilon);
  for (int64_t c = threadIdx.x * Width; c < x.columns; c += threads * Width) {
    Pack<Width> pack = load<Width>(in + c);
    const Pack<Width> gains = load<Width>(gain.data + c);
    for (int i = 0; i < Width; ++i) pack.at[i] *= scale * gains.at[i];
    store<Width>(out + c, pack);
  }
  if (threadIdx.x == 0) inverse.data[blockIdx.x * inverse.stride] = scale;
}

template <int Width>
__global__ void rms_norm_gradient(Tensor x, Tensor gain, Tensor inverse, Tensor dy, Tensor dx) {
  const float* in = x.data + blockIdx.x * x.stride;
  const float* from = dy.data + blockIdx.x * dy.stride;
  float* to = dx.data + blockIdx.x * dx.stride;
  const float scale = inverse.data[blockIdx.x * inverse.stride];
  float along = 0;
  for (int64_t c = threadIdx.x * Width; c < x.columns; c += threads * Width) {
    const Pack<Width> g = load<Width>(from + c), n = load<Width>(in + c);
    const Pack<Width> gains = load<Width>(gain.data + c);
    for (int i = 0; i < Width; ++i) along += g.at[i] * gains.at[i] * n.at[i] * scale;
  }
  along = over_block(along, Sum{}) / static_cast<float>(x.columns);
  for (int64_t c = threadIdx.x * Width; c < x.columns; c += threads * Width) {
    Pack<Width> g = load<Width>(from + c);
    const Pack<Width> n = load<Width>(in + c), gains = load<Width>(gain.data + c);
    for (int i = 0; i < Width; ++i)
      g.at[i] = scale * (g.at[i] * gains.at[i] - n.at[i] * scale * along);
    store<Width>(to + c, g);
  }
}

struct TimesRmsNormal {
  Tensor dy, x, inverse;
  __device__ float operator()(int64_t r, int64_t c) const {
    return dy.data[r * dy.stride + c] * x.data[r * x.stride + c] * inverse.data[r * inverse.stride];
  }
};

}  // namespace

void rms_norm(cudaStream_t stream, const Tensor& x, const Tensor& gain, const Tensor& y,
              const Tensor& inverse) {
  if (in_fours(x, gain, y))
    divide_by_rms<4><<<blocks(x), threads, 0, stream>>>(x, gain, y, inverse);
  else
    divide_by_rms<1><<<blocks(x), threads, 0, stream>>>(x, gain, y, inverse);
  check_launch("rms_norm");
}

void rms_norm_input_gradient(cudaStream_t stream, const Tensor& x, const Tensor& gain,
                             const Tensor& inverse, const Tensor& dy, const Tensor& dx) {
  if (in_fours(x, gain, dy, dx))
    rms_norm_gradient<4><<<blocks(x), threads, 0, stream>>>(x, gain, inverse, dy, dx);
  else
    rms_norm_gradient<1><<<blocks(x), threads, 0, stream>>>(x, gain, inverse, dy, dx);
  check_launch("rms_norm_input_gradient");
}

void rms_norm_weight_gradient(cudaStream_t stream, const Tensor& x, const Tensor& inverse,
                              const Tensor& dy, const Tensor& d_gain, const Tensor& partial) {
  sum_columns(stream, TimesRmsNormal{dy, x, inverse}, dy.rows, d_gain, partial);
}

}  // namespace pipewright::kernels::cuda
