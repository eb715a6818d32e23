#include "result/fit.hpp"

namespace pipewright {

std::optional<double> memory_share(const RankResult& rank) {
  if (!rank.capacity) return std::nullopt;
  return static_cast<double>(rank.memory.total().count) / static_cast<double>(rank.capacity->count);
}

void add_fit(RunResult& result) {
  std::optional<double> most;
  for (const RankResult& rank : result.metrics.ranks) {
    const std::optional<double> share = memory_share(rank);
    if (!share || (most && *share <= *most)) continue;
    most = share;
    result.fit.device_memory = rank.capacity;
    result.fit.fullest = rank.memory.total();
  }
  result.fit.feasible = result.fit.feasible && (!most || *most <= 1);
}

}  // namespace pipewright
