#include "network/nccl/operations.hpp"

namespace pipewright {
namespace {

constexpr NcclOperation operations[] = {
    {.name = "all_reduce",
     .kind = CollectiveKind::all_reduce,
     .rounds = 2,
     .reducing = 0.5,
     .ends = &RingEnds::all_reduce,
     .tree = true,
     .in_switch = true},
    {.name = "all_gather",
     .kind = CollectiveKind::all_gather,
     .in_parts = true,
     .ends = &RingEnds::all_gather},
    {.name = "reduce_scatter",
     .kind = CollectiveKind::reduce_scatter,
     .in_parts = true,
     .reducing = 1,
     .ends = &RingEnds::reduce_scatter},
    {.name = "all_to_all", .kind = CollectiveKind::all_to_all, .pairs = true, .in_parts = true},
    {.name = "broadcast", .kind = CollectiveKind::broadcast, .chain = true},
    {.name = "reduce", .kind = CollectiveKind::reduce, .chain = true, .reducing = 1},
    {.name = "send_recv", .kind = std::nullopt, .pairs = true}};

}  // namespace

std::span<const NcclOperation> nccl_operations() { return operations; }

const NcclOperation* find_operation(std::string_view name) {
  for (const NcclOperation& operation : operations)
    if (operation.name == name) return &operation;
  return nullptr;
}

const NcclOperation& operation_of(CollectiveKind kind) {
  for (const NcclOperation& operation : operations)
    if (operation.kind == kind) return operation;
  return *std::rbegin(operations);
}

}  // namespace pipewright
