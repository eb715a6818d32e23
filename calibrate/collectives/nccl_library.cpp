#include "calibrate/collectives/nccl_library.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.hpp"
#include "kernels/shared_library.hpp"

namespace pipewright::calibration {
NcclLibrary::NcclLibrary() {
  const kernels::SharedLibrary shared("libnccl.so.2", "NCCL");
  shared.find("ncclGetVersion", get_version);
  shared.find("ncclGetErrorString", error_string);
  shared.find("ncclGetUniqueId", get_unique_id);
  shared.find("ncclCommInitRankConfig", init_rank);
  shared.find("ncclCommAbort", abort);
  shared.find("ncclCommGetAsyncError", async_error);
  shared.find("ncclGroupStart", group_start);
  shared.find("ncclGroupEnd", group_end);
  shared.find("ncclAllReduce", all_reduce);
  shared.find("ncclAllGather", all_gather);
  shared.find("ncclReduceScatter", reduce_scatter);
  shared.find("ncclBroadcast", broadcast);
  shared.find("ncclSend", send);
  shared.find("ncclRecv", recv);
}

void NcclLibrary::check(ncclResult_t status, const char* what) const {
  if (status == ncclSuccess) return;
  throw Failure(fmt::format("NCCL: {}: {}", what, error_string(status)));
}

void NcclLibrary::check_closed(ncclResult_t status, const char* what) const noexcept {
  if (status != ncclSuccess) std::fprintf(stderr, "NCCL: %s: %s\n", what, error_string(status));
}

std::string NcclLibrary::version() const {
  int number = 0;
  check(get_version(&number), "version");
  return fmt::format("NCCL {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace pipewright::calibration
