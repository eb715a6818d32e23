#include "calibrate/live/messages/ring_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "program/names.hpp"

namespace pipewright::live {

int ring_steps(CollectiveKind kind, size_t members) {
  const int others = static_cast<int>(members) - 1;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
      return others;
    default:
      throw Failure(
          fmt::format("a {} cannot be run over processes by this version", to_string(kind)));
  }
}

RingStep ring_step(CollectiveKind kind, const std::vector<uint32_t>& members, uint32_t rank,
                   int step, Bytes bytes) {
  const size_t n = members.size();
  const auto own =
      static_cast<size_t>(std::find(members.begin(), members.end(), rank) - members.begin());
  const size_t hop = kind == CollectiveKind::all_to_all ? static_cast<size_t>(step) + 1 : 1;
  return {members[(own + hop) % n], members[(own + n - hop % n) % n],
          Bytes{bytes.count / static_cast<int64_t>(n)}};
}

}  // namespace pipewright::live
