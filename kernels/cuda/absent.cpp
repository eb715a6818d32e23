// Stands in where the program was built without CUDA.
#include "base/error.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::kernels {

std::unique_ptr<CudaKernels> cuda_kernels(const CudaOptions&) {
  throw Failure("CUDA: this build has none: nvcc was not found when it was configured");
}

}  // namespace pipewright::kernels
