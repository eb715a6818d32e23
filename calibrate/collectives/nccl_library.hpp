// NCCL, found when it is needed: a program that talks to no other GPU shall start without it.
#pragma once

#include <nccl.h>

#include <string>

namespace pipewright::calibration {

struct NcclLibrary {
  decltype(&ncclGetVersion) get_version;
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclGetUniqueId) get_unique_id;
  decltype(&ncclCommInitRankConfig) init_rank;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclAllGather) all_gather;
  decltype(&ncclReduceScatter) reduce_scatter;
  decltype(&ncclBroadcast) broadcast;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) recv;

  /// Loads the library; it stays for the rest of the program. Throws Failure when it is not there.
  NcclLibrary();
  void check(ncclResult_t status, const char* what) const;
  /// Prints one line on stderr, where nothing may be thrown because something is given back.
  void check_closed(ncclResult_t status, const char* what) const noexcept;
  std::string version() const;  ///< "NCCL 2.27.3"
};

}  // namespace pipewright::calibration
