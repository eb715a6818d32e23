// Stands in for nccl.cpp where CUDA or NCCL's header was not there.
#include "base/error.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/nccl_links.hpp"

namespace pipewright::calibration {
namespace {

[[noreturn]] void refuse() {
  throw Failure(
      "this build has no NCCL: install the CUDA toolkit and libnccl-dev, then 'meson setup "
      "--reconfigure build' and build again");
}

}  // namespace

std::unique_ptr<Communicators> nccl_communicators(transport::Session&) { refuse(); }

std::unique_ptr<transport::DeviceLinks> nccl_links(transport::Session&, kernels::CudaKernels&) {
  refuse();
}

}  // namespace pipewright::calibration
