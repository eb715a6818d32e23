#include "calibrate/collectives/operation.hpp"

#include <algorithm>

namespace pipewright::calibration {
namespace {

bool has_parts(Operation operation) {
  return operation == Operation::all_gather || operation == Operation::reduce_scatter ||
         operation == Operation::all_to_all;
}

}  // namespace

std::string_view name(Operation operation) {
  constexpr std::string_view names[] = {"all_reduce", "all_gather", "reduce_scatter",
                                        "all_to_all", "broadcast",  "send_recv"};
  return names[static_cast<size_t>(operation)];
}

int64_t elements(Operation operation, int64_t bytes, int element_bytes, int ranks) {
  const int64_t whole = bytes / element_bytes;
  if (!has_parts(operation)) return std::max<int64_t>(whole, 1);
  return std::max<int64_t>(whole / ranks, 1) * ranks;
}

Buffers buffers(Operation operation, int64_t elements, int ranks) {
  if (operation == Operation::all_gather) return {elements / ranks, elements};
  if (operation == Operation::reduce_scatter) return {elements, elements / ranks};
  return {elements, elements};
}

}  // namespace pipewright::calibration
