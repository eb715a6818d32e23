// NCCL between the GPUs of ranks that are processes: a communicator for each channel.
#pragma once

#include <memory>

#include "calibrate/transport/device_links.hpp"
#include "calibrate/transport/session.hpp"
#include "kernels/cuda.hpp"

namespace pipewright::calibration {

/// Opens links for the GPU of `kernels`; both outlive them. Throws Failure where this build has no
/// NCCL, or the machine none.
std::unique_ptr<transport::DeviceLinks> nccl_links(transport::Session& session,
                                                   kernels::CudaKernels& kernels);

}  // namespace pipewright::calibration
