#include "kernels/cuda/cudnn/library.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "base/error.hpp"
#include "kernels/shared_library.hpp"

namespace pipewright::kernels::cuda::cudnn {
namespace {

// Before it, sums in workspace had to be cleared by the caller.
constexpr size_t oldest = 90600;

}  // namespace

Library::Library() {
  const SharedLibrary shared("libcudnn.so.9", "cuDNN 9");
  shared.find("cudnnGetVersion", get_version);
  shared.find("cudnnGetErrorString", error_string);
  shared.find("cudnnGetLastErrorString", last_error);
  shared.find("cudnnCreate", create);
  shared.find("cudnnDestroy", destroy);
  shared.find("cudnnSetStream", set_stream);
  shared.find("cudnnBackendCreateDescriptor", create_descriptor);
  shared.find("cudnnBackendDestroyDescriptor", destroy_descriptor);
  shared.find("cudnnBackendSetAttribute", set_attribute);
  shared.find("cudnnBackendGetAttribute", attribute);
  shared.find("cudnnBackendFinalize", finalize);
  shared.find("cudnnBackendExecute", execute);
  if (get_version() < oldest)
    throw Failure(fmt::format("cuDNN: libcudnn.so.9 is {}, too old: 9.6 or later", version()));
}

void Library::check(cudnnStatus_t status, const char* what) const {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 1024> reason{};
  last_error(reason.data(), reason.size());
  throw Failure(fmt::format("cuDNN: {}: {}{}{}", what, error_string(status), reason[0] ? ": " : "",
                            reason.data()));
}

void Library::check_closed(cudnnStatus_t status, const char* what) const noexcept {
  if (status != CUDNN_STATUS_SUCCESS)
    std::fprintf(stderr, "cuDNN: %s: %s\n", what, error_string(status));
}

std::string Library::version() const {
  const size_t number = get_version();
  return fmt::format("cuDNN {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace pipewright::kernels::cuda::cudnn
