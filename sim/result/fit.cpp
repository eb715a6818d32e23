#include "result/fit.hpp"

#include <algorithm>

namespace pipewright {

std::optional<double> memory_share(const RankResult& rank) {
  if (!rank.capacity) return std::nullopt;
  return static_cast<double>(rank.memory.total().count) / static_cast<double>(rank.capacity->count);
}

bool memory_is_known(const RunResult& result) {
  return result.fit.device_memory && std::ranges::any_of(result.metrics.ranks, [](const auto& r) {
           return r.memory.total() > Bytes{};
         });
}

namespace {

/// Counts what the allocator holds where there is room among the buffers, as far as there is.
void hold_reclaimable(RankResult& rank) {
  MemoryUse& memory = rank.memory;
  Bytes held = memory.reclaimable;
  if (rank.capacity) {
    const Bytes needed = memory.total();
    held = std::min(held, needed < *rank.capacity ? *rank.capacity - needed : Bytes{});
  }
  memory.buffers += held;
  memory.reclaimable = {};
}

}  // namespace

void add_fit(RunResult& result) {
  std::optional<double> most;
  for (RankResult& rank : result.metrics.ranks) {
    hold_reclaimable(rank);
    const std::optional<double> share = memory_share(rank);
    if (!share || (most && *share <= *most)) continue;
    most = share;
    result.fit.device_memory = rank.capacity;
    result.fit.fullest = rank.memory.total();
  }
  result.fit.feasible = result.fit.feasible && (!most || *most <= 1);
}

}  // namespace pipewright
