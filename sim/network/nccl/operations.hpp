// The operations of NCCL's that the model knows, as one table: what tells them apart, a row each.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "network/nccl/profile.hpp"
#include "workload/layer.hpp"

namespace pipewright {

struct NcclOperation {
  std::string_view name;                 ///< as nccl-tests' table and `--kind` have it
  std::optional<CollectiveKind> kind;    ///< empty: a message
  bool pairs = false;                    ///< messages from each to each; the others go round a ring
  int rounds = 1;                        ///< that its bytes make around the ring
  bool chain = false;                    ///< the ring is cut open: whole buffers from end to end
  bool in_parts = false;                 ///< a member has 1 / n of the buffer before or after it
  double reducing = 0;                   ///< share of the steps that reduce
  double RingEnds::*ends = nullptr;      ///< steps' worth of copies at the ends, where measured
  bool tree = false, in_switch = false;  ///< what NCCL may choose besides
};

/// All operations, in the order in which users are told of them.
std::span<const NcclOperation> nccl_operations();
/// The operation of that name, or nullptr.
const NcclOperation* find_operation(std::string_view name);
/// Of a shift, which is nothing but messages: send_recv.
const NcclOperation& operation_of(CollectiveKind kind);

}  // namespace pipewright
