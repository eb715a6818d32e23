#include "report/timeline/memory_curve.hpp"

#include "result/memory_use.hpp"
#include "result/repeated_growth.hpp"

namespace pipewright {
namespace {

/// Weights and the like: all that ops do not move.
Bytes lasting(const Run& run, uint32_t rank) {
  const auto pipeline_rank = static_cast<size_t>(run.program.ranks[rank].pipeline);
  const std::vector<RankResult>& ranks = run.result.metrics.ranks;
  if (pipeline_rank >= ranks.size()) return {};
  const MemoryUse& memory = ranks[pipeline_rank].memory;
  return memory.total() - memory.activations;
}

struct Level {
  Bytes bytes;

  void repeat(const Level& before, int64_t again) { bytes += again * (bytes - before.bytes); }
};

}  // namespace

std::vector<Held> memory_curve(const Run& run, const RankOps& ops, uint32_t rank) {
  if (ops.servers(rank).empty()) return {};
  Level level{lasting(run, rank)};
  std::vector<Held> curve = {{Time{}, level.bytes}};
  const Repetitions repetitions = run.timeline.repetitions(rank);
  RepeatedGrowth<Level> growth(repetitions);
  for (const Moment& moment : ops.moments(run.timeline, rank)) {
    const Bytes by = ops.growth(moment, rank);
    if (by == Bytes{}) continue;
    growth.reach(moment.at, level);
    const Time at = with_pauses(repetitions, moment.at);
    if (at != curve.back().from) curve.push_back({at, level.bytes});
    curve.back().bytes = level.bytes += by;
  }
  return curve;
}

}  // namespace pipewright
