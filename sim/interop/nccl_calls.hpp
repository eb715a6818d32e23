// The calls of NCCL on the threads of a process, and what the kernels do that they launch.
//
// A kernel is launched within its call or, of calls between ncclGroupStart and ncclGroupEnd, after
// them: it does all that was called since the kernel before it, of one communicator. PyTorch's
// ranges ("nccl:all_reduce") hold NCCL's own and name what these are parts of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interop/nvtx_ranges.hpp"

namespace pipewright::interop {

/// What one kernel does. The name is empty where no call is its.
struct NcclLaunch {
  std::string name;
  uint64_t communicator = 0;
  int64_t bytes = 0;  ///< that the rank sends or, of receives alone, that it gets
  int sends = 0;      ///< calls of ncclSend
};

class NcclCalls {
 public:
  void add(const NvtxRange& call) { calls_[call.thread].push_back(call); }
  /// What the kernels do that `thread` launched at these times, which ascend.
  std::vector<NcclLaunch> launched(int64_t thread, const std::vector<Time>& at);

 private:
  std::map<int64_t, std::vector<NvtxRange>> calls_;  ///< by thread
};

}  // namespace pipewright::interop
