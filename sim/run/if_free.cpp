#include "run/if_free.hpp"

#include <algorithm>

#include "run/execute.hpp"

namespace pipewright {
namespace {

Time iteration_without(const Prepared& prepared, const FreeCosts& free) {
  const Executed run = execute(prepared, free);
  return iteration_time(run.program, run.timeline, prepared.schedule);
}

}  // namespace

IfFree if_free(const Prepared& prepared, const Metrics& metrics) {
  IfFree gain;
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    if (metrics.communication[kind].time == Time{}) continue;
    FreeCosts free;
    free.traffic[kind] = true;
    gain.traffic[kind] = metrics.iteration - iteration_without(prepared, free);
  }
  if (metrics.breakdown.host > Time{})
    gain.host = metrics.iteration - iteration_without(prepared, {.host = true});
  if (metrics.ranks.empty()) return gain;
  gain.bubble = metrics.ranks.front().breakdown.bubble;
  for (const RankResult& rank : metrics.ranks)
    gain.bubble = std::min(gain.bubble, rank.breakdown.bubble);
  return gain;
}

}  // namespace pipewright
