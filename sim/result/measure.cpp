#include <algorithm>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "result/measure_times.hpp"
#include "result/memory_use.hpp"
#include "result/result.hpp"
#include "schedule/versions.hpp"

namespace pipewright {

double Metrics::bubble_fraction() const {
  return iteration > Time{} ? in_seconds(breakdown.bubble) / in_seconds(iteration) : 0;
}

Metrics measure_times(const Program& program, const Timeline& timeline,
                      const schedule::Schedule& schedule,
                      const std::vector<MemoryUse>& static_memory, const ComputeShares& shares) {
  Metrics metrics;
  metrics.makespan = timeline.end();
  const Window window = iteration_window(program, timeline, schedule);
  metrics.iteration = window.length;
  metrics.window = window;
  const std::vector<Breakdown> by_rank = accounts(program, timeline, window, shares);
  metrics.breakdown = mean_account(program, by_rank);
  for (uint32_t rank = 0; rank < by_rank.size(); ++rank)
    metrics.busy.push_back(
        {program.ranks[rank].device, program.ranks[rank].multiplicity, by_rank[rank].computing()});
  stop_here();
  measure_ranks(program, timeline, static_memory, by_rank, shares, metrics);
  if (!schedule.synchronous && schedule.iterations >= schedule::steady_iterations(schedule))
    metrics.steady = {metrics.iteration, schedule.iterations};
  const std::vector<schedule::Versions> versions = schedule::weight_versions(schedule);
  for (RankResult& rank : metrics.ranks) {
    rank.weight_versions = versions[static_cast<size_t>(rank.rank)].held;
    rank.staleness = versions[static_cast<size_t>(rank.rank)].staleness;
  }
  for (const RankResult& rank : metrics.ranks)
    metrics.max_span = std::max(metrics.max_span, rank.span);
  stop_here();
  metrics.critical_path = critical_path(program, timeline);
  return metrics;
}

Metrics measure(const Program& program, const Timeline& timeline,
                const schedule::Schedule& schedule, const std::vector<MemoryUse>& static_memory,
                const ComputeShares& shares) {
  Metrics metrics = measure_times(program, timeline, schedule, static_memory, shares);
  measure_communication(program, timeline, metrics);
  return metrics;
}

void add_cut(Time cut, Metrics& metrics) {
  metrics.bounds.cut = cut;
  ensure(metrics.makespan >= metrics.bounds.best(), "a run must not beat its lower bounds");
}

}  // namespace pipewright
