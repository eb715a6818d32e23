#include "kernels/cuda/check.hpp"

#include <cstdio>
#include <string>

#include "base/error.hpp"

namespace pipewright::kernels::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Failure(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

void check_closed(cudaError_t status, const char* what) noexcept {
  if (status == cudaSuccess || status == cudaErrorCudartUnloading) return;
  std::fprintf(stderr, "CUDA: %s: %s\n", what, cudaGetErrorString(status));
}

void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace pipewright::kernels::cuda
