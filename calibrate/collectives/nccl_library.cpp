#include "calibrate/collectives/nccl_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace pipewright::calibration {
namespace {

constexpr const char* library = "libnccl.so.2";

/// Where the system looks, beside the program ($ORIGIN/lib), then where the toolkit is installed.
void* open_library() {
  for (const std::string folder : {"", "/usr/local/cuda/lib64/"})
    if (void* handle = dlopen((folder + library).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  throw Failure(
      fmt::format("{} is not there: install NCCL or name its folder in LD_LIBRARY_PATH", library));
}

template <class F>
void find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (!function) throw Failure(fmt::format("{} has no {}", library, name));
}

}  // namespace

NcclLibrary::NcclLibrary() {
  void* handle = open_library();
  find(handle, "ncclGetVersion", get_version);
  find(handle, "ncclGetErrorString", error_string);
  find(handle, "ncclGetUniqueId", get_unique_id);
  find(handle, "ncclCommInitRank", init_rank);
  find(handle, "ncclCommAbort", abort);
  find(handle, "ncclCommGetAsyncError", async_error);
  find(handle, "ncclGroupStart", group_start);
  find(handle, "ncclGroupEnd", group_end);
  find(handle, "ncclAllReduce", all_reduce);
  find(handle, "ncclAllGather", all_gather);
  find(handle, "ncclReduceScatter", reduce_scatter);
  find(handle, "ncclBroadcast", broadcast);
  find(handle, "ncclSend", send);
  find(handle, "ncclRecv", recv);
}

void NcclLibrary::check(ncclResult_t status, const char* what) const {
  if (status == ncclSuccess) return;
  throw Failure(fmt::format("NCCL: {}: {}", what, error_string(status)));
}

std::string NcclLibrary::version() const {
  int number = 0;
  check(get_version(&number), "version");
  return fmt::format("NCCL {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace pipewright::calibration
