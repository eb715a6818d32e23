#include "kernels/cuda/backend.hpp"

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

size_t bytes_of(int64_t elements) { return static_cast<size_t>(elements) * sizeof(float); }

/// Rows that stand without gaps are one: those that stand apart cannot be longer than 2 GiB.
void copy_rows(const float* from, int64_t from_stride, float* to, int64_t to_stride,
               const Tensor& shape, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool whole =
      shape.rows == 1 || (from_stride == shape.columns && to_stride == shape.columns);
  check(whole ? cudaMemcpyAsync(to, from, bytes_of(shape.size()), kind, stream)
              : cudaMemcpy2DAsync(to, bytes_of(to_stride), from, bytes_of(from_stride),
                                  bytes_of(shape.columns), static_cast<size_t>(shape.rows), kind,
                                  stream),
        "a copy");
}

}  // namespace

void Arrays::upload(std::span<const float> from, const Tensor& to) {
  copy_rows(from.data(), to.columns, to.data, to.stride, to, cudaMemcpyHostToDevice,
            streams_.stream());
  check(cudaStreamSynchronize(streams_.stream()), "upload");
}

void Arrays::download(const Tensor& from, std::span<float> to) {
  copy_rows(from.data, from.stride, to.data(), from.columns, from, cudaMemcpyDeviceToHost,
            streams_.stream());
  check(cudaStreamSynchronize(streams_.stream()), "download");
}

void Arrays::zero(const Tensor& to) {
  if (to.rows == 1 || to.stride == to.columns)
    return check(cudaMemsetAsync(to.data, 0, bytes_of(to.size()), streams_.stream()), "zero");
  check(cudaMemset2DAsync(to.data, bytes_of(to.stride), 0, bytes_of(to.columns),
                          static_cast<size_t>(to.rows), streams_.stream()),
        "zero");
}

void Arrays::copy(const Tensor& from, const Tensor& to) {
  copy_rows(from.data, from.stride, to.data, to.stride, to, cudaMemcpyDeviceToDevice,
            streams_.stream());
}

void Arrays::add(double factor, const Tensor& from, const Tensor& to) {
  cuda::add(streams_.stream(), static_cast<float>(factor), from, to);
}

}  // namespace pipewright::kernels::cuda
