#include "kernels/cuda/backend.hpp"

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/cudnn/open.hpp"

namespace pipewright::kernels::cuda {

Backend::Backend(const CudaOptions& options)
    : DeviceStreams(options),
      Arrays(this),
      Activations(this),
      Multiplication(this, options.multiply),
      Norms(this),
      Attention(this),
      Images(this),
      Sequences(this),
      Optimizers(this) {}

Backend::~Backend() {
  check_closed(cudaDeviceSynchronize(), "the last work on the device");
  cudnn_.reset();
}

Cudnn& Backend::cudnn() {
  if (!cudnn_) cudnn_ = open_cudnn(*this, [this] { return stream(); });
  return *cudnn_;
}

}  // namespace pipewright::kernels::cuda

namespace pipewright::kernels {

std::unique_ptr<CudaKernels> cuda_kernels(const CudaOptions& options) {
  return std::make_unique<cuda::Backend>(options);
}

}  // namespace pipewright::kernels
