// Every call of the CUDA runtime is checked.
#pragma once

#include <cuda_runtime_api.h>

namespace pipewright::kernels::cuda {

/// Throws Failure "CUDA: WHAT: reason" unless `status` is success.
void check(cudaError_t status, const char* what);
/// Does what check() does where nothing may be thrown, as something is given back: prints one line
/// on stderr. At the end of the program the driver may be gone already, and all with it: that is no
/// fault.
void check_closed(cudaError_t status, const char* what) noexcept;
/// Checks the kernel launched before.
void check_launch(const char* kernel);

}  // namespace pipewright::kernels::cuda
