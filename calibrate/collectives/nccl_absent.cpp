// What stands in for nccl.cpp where CUDA or NCCL's header was not there.
#include "base/error.hpp"
#include "calibrate/collectives/communicator.hpp"

namespace pipewright::calibration {

std::unique_ptr<Communicators> nccl_communicators(transport::Session&) {
  throw Failure(
      "this build has no NCCL: install the CUDA toolkit and libnccl-dev, then 'meson setup "
      "--reconfigure build' and build again");
}

}  // namespace pipewright::calibration
