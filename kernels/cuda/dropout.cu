// Four neighbours a thread, as many as one draw serves.
#include <algorithm>

#include "kernels/cuda/blocks.cuh"
#include "kernels/philox.hpp"

namespace pipewright::kernels::cuda {
namespace {

/// Every number, wherever its row stands. Without a residual there is nothing to add.
template <bool WithResidual>
__global__ void drop_apart(DropMask mask, Tensor x, Tensor residual, Tensor y) {
  const int64_t all = x.rows * x.columns, step = int64_t{gridDim.x} * threads;
  for (int64_t quad = int64_t{blockIdx.x} * threads + threadIdx.x; 4 * quad < all; quad += step) {
    const Philox draws = mask.draws(static_cast<uint64_t>(quad));
    for (int i = 0; i < 4 && 4 * quad + i < all; ++i) {
      const int64_t r = (4 * quad + i) / x.columns, c = (4 * quad + i) % x.columns;
      const float sum = WithResidual ? residual.data[r * residual.stride + c] : 0;
      y.data[r * y.stride + c] = sum + mask.factor(draws.at[i]) * x.data[r * x.stride + c];
    }
  }
}

/// All numbers one after the other.
template <bool WithResidual>
__global__ void drop_in_fours(DropMask mask, Tensor x, Tensor residual, Tensor y) {
  const int64_t all = x.rows * x.columns, step = int64_t{gridDim.x} * threads;
  for (int64_t quad = int64_t{blockIdx.x} * threads + threadIdx.x; 4 * quad < all; quad += step) {
    const Philox draws = mask.draws(static_cast<uint64_t>(quad));
    const Pack<4> in = load<4>(x.data + 4 * quad);
    Pack<4> sum = WithResidual ? load<4>(residual.data + 4 * quad) : Pack<4>{};
    for (int i = 0; i < 4; ++i) sum.at[i] += mask.factor(draws.at[i]) * in.at[i];
    store<4>(y.data + 4 * quad, sum);
  }
}

bool gapless(const Tensor& t) { return t.rows == 1 || t.stride == t.columns; }

template <bool WithResidual>
void drop(cudaStream_t stream, const DropMask& mask, const Tensor& x, const Tensor& residual,
          const Tensor& y) {
  if (x.size() == 0) return;
  const int64_t wanted = (x.size() + 4 * threads - 1) / (4 * threads);
  const auto grid = static_cast<unsigned>(std::min(wanted, int64_t{65535}));
  if (gapless(x) && gapless(residual) && gapless(y) && in_fours(x, residual, y))
    drop_in_fours<WithResidual><<<grid, threads, 0, stream>>>(mask, x, residual, y);
  else
    drop_apart<WithResidual><<<grid, threads, 0, stream>>>(mask, x, residual, y);
  check_launch("dropout");
}

}  // namespace

void dropout_add(cudaStream_t stream, const DropMask& mask, const Tensor& x, const Tensor& residual,
                 const Tensor& y) {
  drop<true>(stream, mask, x, residual, y);
}

void dropout_gradient(cudaStream_t stream, const DropMask& mask, const Tensor& dy,
                      const Tensor& dx) {
  drop<false>(stream, mask, dy, dy, dx);
}

}  // namespace pipewright::kernels::cuda
