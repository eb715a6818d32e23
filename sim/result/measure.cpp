#include <algorithm>

#include "base/error.hpp"
#include "result/memory_use.hpp"
#include "result/result.hpp"
#include "schedule/versions.hpp"

namespace pipewright {

Metrics measure(const Program& program, const Timeline& timeline,
                const schedule::Schedule& schedule, const std::vector<MemoryUse>& static_memory) {
  Metrics metrics;
  for (const Span& span : timeline.spans) metrics.makespan = std::max(metrics.makespan, span.end);
  metrics.iteration = iteration_time(program, timeline, schedule);
  const double busy =
      measure_ranks(program, timeline, metrics.makespan, static_memory, metrics.ranks);
  double devices = 0;
  for (const ProgramRank& rank : program.ranks) devices += rank.multiplicity;
  const auto bubble = [&](double work, Time time) {
    return time > Time{} ? 1 - work / (devices * in_seconds(time)) : 0;
  };
  metrics.bubble_fraction = bubble(busy, metrics.makespan);
  if (!schedule.synchronous && schedule.iterations >= schedule::steady_iterations(schedule)) {
    const double busy_an_iteration = busy / schedule.iterations;
    metrics.steady = {metrics.iteration, bubble(busy_an_iteration, metrics.iteration),
                      schedule.iterations};
  }
  const std::vector<schedule::Versions> versions = schedule::weight_versions(schedule);
  for (RankResult& rank : metrics.ranks) {
    rank.weight_versions = versions[static_cast<size_t>(rank.rank)].held;
    rank.staleness = versions[static_cast<size_t>(rank.rank)].staleness;
  }
  for (const RankResult& rank : metrics.ranks)
    metrics.max_span = std::max(metrics.max_span, rank.span);
  measure_communication(program, timeline, metrics);
  metrics.critical_path = critical_path(program, timeline);
  return metrics;
}

void add_cut(Time cut, Metrics& metrics) {
  metrics.bounds.cut = cut;
  ensure(metrics.makespan >= metrics.bounds.best(), "a run must not beat its lower bounds");
}

}  // namespace pipewright
