// Which collective a kernel of NCCL is, or a call that launched it, as its name says.
#pragma once

#include <cstdint>
#include <string_view>

namespace pipewright::interop {

enum class NcclKind : uint8_t {
  unknown,
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  messages  ///< sends and receives, and what is made of them: exchanges of all with all
};

/// Of kernels ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"), of NCCL's calls ("AllReduce") and of
/// PyTorch's ("all_reduce", "_all_gather_base").
NcclKind nccl_kind(std::string_view name);

/// Whether both may be one: one of unknown kind may be any.
inline bool may_be(NcclKind one, NcclKind other) {
  return one == other || one == NcclKind::unknown || other == NcclKind::unknown;
}

}  // namespace pipewright::interop
