// Stands in for session.cpp where cuDNN's header was not there.
#include "base/error.hpp"
#include "kernels/cuda/cudnn/open.hpp"

namespace pipewright::kernels::cuda {

std::unique_ptr<Cudnn> open_cudnn(Kernels&, std::function<cudaStream_t()>) {
  throw Failure(
      "this build has no cuDNN: install its header (9.8 or later), then 'meson setup --reconfigure "
      "build' and build again");
}

}  // namespace pipewright::kernels::cuda
