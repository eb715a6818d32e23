#include "study/run.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "study/execute.hpp"
#include "study/experiment.hpp"

namespace pipewright {
namespace {

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

/// Throughput and utilisation, which need the iteration time and the model together.
void add_rates(const Prepared& prepared, RunResult& result) {
  const double iteration = in_seconds(result.metrics.iteration);
  const ModelWork& work = prepared.work;
  if (iteration <= 0) return;
  result.samples_per_s = work.samples / iteration;
  if (work.tokens > 0) result.tokens_per_s = work.tokens / iteration;
  if (work.model_flops <= 0) return;
  const double per_device = work.model_flops / iteration / prepared.devices;
  result.model_flops_per_s_per_device = per_device;
  if (prepared.peak_flops_per_s <= 0) return;
  result.mfu = per_device / prepared.peak_flops_per_s;
  result.hfu = work.hardware_flops / iteration / prepared.devices / prepared.peak_flops_per_s;
}

void add_devices(const Grid& grid, std::vector<RankResult>& ranks) {
  for (RankResult& rank : ranks) {
    for (int replica = 0; replica < grid.replicas(); ++replica)
      for (int t = 0; t < grid.tensor; ++t)
        rank.devices.push_back(grid.device(rank.rank, t, replica));
    std::sort(rank.devices.begin(), rank.devices.end());
  }
}

void add_memory(const Prepared& prepared, RunResult& result) {
  result.device_memory = prepared.device_memory;
  for (RankResult& rank : result.metrics.ranks) {
    for (const int stage : rank.stages)
      if (!prepared.work.layers.empty()) rank.layers.push_back(prepared.work.layers[stage]);
    if (prepared.device_memory && rank.memory.total() > *prepared.device_memory)
      result.feasible = false;
  }
}

}  // namespace

Run result_of(Prepared prepared, Program program, Timeline timeline) {
  Run run;
  run.program = std::move(program);
  run.timeline = std::move(timeline);
  run.schedule = std::move(prepared.schedule);
  run.result.experiment = prepared.resolved;
  run.result.schedule = prepared.schedule_name;
  run.result.synchronous = run.schedule.synchronous;
  run.result.metrics =
      measure(run.program, run.timeline, run.schedule, prepared.work.static_memory);
  for (RankResult& rank : run.result.metrics.ranks) {
    rank.weight_versions = prepared.versions[static_cast<size_t>(rank.rank)].held;
    rank.staleness = prepared.versions[static_cast<size_t>(rank.rank)].staleness;
  }
  add_devices(prepared.grid, run.result.metrics.ranks);
  run.result.links = busiest_links(run.program, *prepared.topology, run.result.metrics.makespan);
  add_memory(prepared, run.result);
  add_rates(prepared, run.result);
  return run;
}

Run run_experiment(const config::Value& document, const config::Catalogue& catalogue,
                   const RunOptions& options) {
  Stopwatch watch;
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  Prepared prepared = prepare(experiment, catalogue, options);
  Executed executed = execute(prepared);
  Cost cost;
  cost.wall_s = executed.wall_s;
  cost.setup_s = watch.lap() - executed.wall_s;
  cost.events = executed.program.ops.size();
  Run run =
      result_of(std::move(prepared), std::move(executed.program), std::move(executed.timeline));
  run.result.metrics.bounds.cut = executed.cut;
  run.result.cost = cost;
  run.result.cost.peak_rss_bytes = peak_resident_bytes();
  return run;
}

std::vector<Row> compare_schedules(const config::Value& experiment,
                                   const std::vector<config::Value>& schedules,
                                   const config::Catalogue& catalogue, const RunOptions& options) {
  std::vector<Row> rows;
  std::optional<Misfit> first;
  for (const config::Value& schedule : schedules) {
    config::Value changed = experiment;
    changed.set("schedule", schedule);
    Row& row = rows.emplace_back();
    row.schedule = schedule_name(schedule);
    try {
      row.run = run_experiment(changed, catalogue, options);
    } catch (const Misfit& misfit) {
      row.reason = misfit.message();
      if (!first) first = misfit;
    } catch (const Failure& failure) {
      row.reason = failure.what();
    }
  }
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.run; });
  if (!any && first) throw *first;
  if (!any && !rows.empty()) throw Failure(rows.front().reason);
  return rows;
}

}  // namespace pipewright
