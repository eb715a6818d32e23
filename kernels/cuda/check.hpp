// Every call of the CUDA runtime is checked.
#pragma once

#include <cuda_runtime_api.h>

namespace pipewright::kernels::cuda {

/// Throws Failure "CUDA: WHAT: reason" unless `status` is success.
void check(cudaError_t status, const char* what);
/// Of the kernel launched before.
void check_launch(const char* kernel);

}  // namespace pipewright::kernels::cuda
