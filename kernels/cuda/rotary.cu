// A block a row. Its turns are worked out once, in double precision as far as angles of late tokens
// need it, and serve all heads.
#include "kernels/cuda/blocks.cuh"

namespace pipewright::kernels::cuda {
namespace {

constexpr double full_turn = 6.283185307179586;

__device__ float2 turn_of(const RotaryShape& shape, int64_t token, int64_t pair, float sign) {
  const double exponent = -2.0 * static_cast<double>(pair) / shape.head_dim;
  const double angle = static_cast<double>(token) * pow(shape.base, exponent);
  float sine, cosine;
  sincosf(static_cast<float>(angle - full_turn * rint(angle / full_turn)), &sine, &cosine);
  return {cosine, sign * sine};
}

__global__ void turn_row(RotaryShape shape, float sign, Tensor x, Tensor y) {
  __shared__ float2 turns[most_head_dim / 2];
  const int half = shape.head_dim / 2;
  const int64_t token = shape.first + blockIdx.x % shape.tokens;
  for (int j = static_cast<int>(threadIdx.x); j < half; j += threads)
    turns[j] = turn_of(shape, token, j, sign);
  __syncthreads();
  const float* in = x.data + blockIdx.x * x.stride;
  float* out = y.data + blockIdx.x * y.stride;
  for (int at = static_cast<int>(threadIdx.x); at < shape.heads * half; at += threads) {
    const int j = at % half, low = at / half * shape.head_dim + j, high = low + half;
    const float a = in[low], b = in[high];
    out[low] = a * turns[j].x - b * turns[j].y;
    out[high] = b * turns[j].x + a * turns[j].y;
  }
}

}  // namespace

void rotate(cudaStream_t stream, const RotaryShape& shape, bool backward, const Tensor& x,
            const Tensor& y) {
  turn_row<<<blocks(x), threads, 0, stream>>>(shape, backward ? -1.0f : 1.0f, x, y);
  check_launch("rotate");
}

}  // namespace pipewright::kernels::cuda
