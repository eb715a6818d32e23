// The collectives that are measured, and their buffers as nccl-tests counts them.
#pragma once

#include <cstdint>
#include <string_view>

namespace pipewright::calibration {

enum class Operation : uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  send_recv,  ///< to the next rank and from the one before
};
inline constexpr Operation all_operations[] = {Operation::all_reduce,     Operation::all_gather,
                                               Operation::reduce_scatter, Operation::all_to_all,
                                               Operation::broadcast,      Operation::send_recv};

/// "all_reduce", as tables and profiles have it.
std::string_view name(Operation operation);

/// Elements of the larger of a rank's two buffers, from `bytes` of the operation: those of the
/// gathered, scattered or exchanged buffer are a multiple of the ranks, and nothing is empty.
int64_t elements(Operation operation, int64_t bytes, int element_bytes, int ranks);

/// Elements that a rank gives to, and gets from, an operation on so many.
struct Buffers {
  int64_t given = 0, got = 0;
};
Buffers buffers(Operation operation, int64_t elements, int ranks);

}  // namespace pipewright::calibration
