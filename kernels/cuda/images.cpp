#include "kernels/cuda/backend.hpp"

#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {

void Images::unfold(const WindowShape& shape, const Tensor& x, const Tensor& patches) {
  cuda::unfold(streams_.stream(), shape, x, patches);
}

void Images::fold(const WindowShape& shape, const Tensor& patches, const Tensor& dx) {
  cuda::fold(streams_.stream(), shape, patches, dx);
}

void Images::max_pool(const WindowShape& shape, const Tensor& x, const Tensor& y) {
  cuda::max_pool(streams_.stream(), shape, x, y);
}

void Images::max_pool_gradient(const WindowShape& shape, const Tensor& x, const Tensor& dy,
                               const Tensor& dx) {
  cuda::max_pool_gradient(streams_.stream(), shape, x, dy, dx);
}

}  // namespace pipewright::kernels::cuda
