// SQLite exports of Nsight Systems, as 'nsys export --type sqlite' writes them: every device that a
// process computes on is a rank.
//
//   CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET   what ran on devices: start and end in ns from
//   the
//       begin of the session, deviceId, streamId, correlationId, globalPid; names of kernels are
//       ids in StringIds
//   CUPTI_ACTIVITY_KIND_GRAPH_TRACE   CUDA graphs that were recorded as a whole
//   CUPTI_ACTIVITY_KIND_RUNTIME       the calls that launched them, by correlationId and globalTid
//   NVTX_EVENTS                       ranges, see interop/nvtx_ranges.hpp
//   TARGET_INFO_SESSION_START_TIME    utcEpochNs, the begin of the session
//   MPI_RANKS                         the rank of a process
// Tables but that of kernels may be missing. A globalTid is a globalPid with the thread in its
// lowest 24 bits.
//
// The threads of a process are taken as one: PyTorch's main thread waits while the autograd engine
// launches. Where no range is of a backward pass, what other threads launch than that which marks
// the steps is of it.
#pragma once

#include <string>
#include <vector>

#include "interop/nsys_processes.hpp"
#include "interop/rank_profile.hpp"

namespace pipewright {

/// The ranks that MPI numbers, in its order, else by device and process. `elsewhere` are processes
/// of other exports of the job: groups may have ranks of these, too. Throws InputError for what is
/// no such export, and where nothing says what a step is.
std::vector<RankProfile> read_nsys_profiles(const std::string& file,
                                            const std::vector<NsysProcess>& elsewhere = {});

}  // namespace pipewright
