// The bodies that only a GPU has: products of narrow numbers, and what cuDNN runs.
#pragma once

#include <memory>
#include <string>

#include "calibrate/measure/bodies.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::calibration {

/// `cudnn` is null where `why_no_cudnn` says why.
std::unique_ptr<Bodies> cuda_bodies(kernels::CudaKernels& kernels, kernels::Cudnn* cudnn,
                                    std::string why_no_cudnn);

}  // namespace pipewright::calibration
