// The largest number of a row and the sum of its exponentials come out of one reading: what was
// summed so far is scaled down when a larger number is met.
#include "kernels/cuda/blocks.cuh"

namespace pipewright::kernels::cuda {
namespace {

template <int Width>
__global__ void softmax_row(Tensor x, Tensor y) {
  const float* in = x.data + blockIdx.x * x.stride;
  float* out = y.data + blockIdx.x * y.stride;
  float mine = Largest::start, sum = 0;
  for (int64_t c = threadIdx.x * Width; c < x.columns; c += threads * Width) {
    const Pack<Width> pack = load<Width>(in + c);
    const float before = mine;
    for (const float number : pack.at) mine = fmaxf(mine, number);
    sum *= expf(before - mine);
    for (const float number : pack.at) sum += expf(number - mine);
  }
  const float highest = over_block(mine, Largest{});
  const float share = 1 / over_block(sum * expf(mine - highest), Sum{});
  for (int64_t c = threadIdx.x * Width; c < x.columns; c += threads * Width) {
    Pack<Width> pack = load<Width>(in + c);
    for (float& number : pack.at) number = expf(number - highest) * share;
    store<Width>(out + c, pack);
  }
}

template <int Width>
__global__ void softmax_row_gradient(Tensor y, Tensor dy, Tensor dx) {
  const float* share = y.data + blockIdx.x * y.stride;
  const float* from = dy.data + blockIdx.x * dy.stride;
  float* to = dx.data + blockIdx.x * dx.stride;
  float along = 0;
  for (int64_t c = threadIdx.x * Width; c < y.columns; c += threads * Width) {
    const Pack<Width> shares = load<Width>(share + c), g = load<Width>(from + c);
    for (int i = 0; i < Width; ++i) along += shares.at[i] * g.at[i];
  }
  along = over_block(along, Sum{});
  for (int64_t c = threadIdx.x * Width; c < y.columns; c += threads * Width) {
    const Pack<Width> shares = load<Width>(share + c);
    Pack<Width> g = load<Width>(from + c);
    for (int i = 0; i < Width; ++i) g.at[i] = shares.at[i] * (g.at[i] - along);
    store<Width>(to + c, g);
  }
}

}  // namespace

void softmax(cudaStream_t stream, const Tensor& x, const Tensor& y) {
  if (in_fours(x, y))
    softmax_row<4><<<blocks(x), threads, 0, stream>>>(x, y);
  else
    softmax_row<1><<<blocks(x), threads, 0, stream>>>(x, y);
  check_launch("softmax");
}

void softmax_gradient(cudaStream_t stream, const Tensor& y, const Tensor& dy, const Tensor& dx) {
  if (in_fours(y, dy, dx))
    softmax_row_gradient<4><<<blocks(y), threads, 0, stream>>>(y, dy, dx);
  else
    softmax_row_gradient<1><<<blocks(y), threads, 0, stream>>>(y, dy, dx);
  check_launch("softmax_gradient");
}

}  // namespace pipewright::kernels::cuda
