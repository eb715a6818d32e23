#include "simulate/run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <mutex>

#include "base/clock.hpp"
#include "base/clock_exceeded.hpp"
#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "experiment/experiment.hpp"
#include "experiment/schedule_name.hpp"
#include "machine/machine_cache.hpp"
#include "peers/peers.hpp"
#include "run/run_scheduled.hpp"
#include "run/uncertainty.hpp"
#include "simulate/quick_run.hpp"
#include "trace/trace.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {
namespace {

int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

Run run_replacement(const Experiment& experiment, const config::Catalogue& catalogue,
                    const RunOptions& options) {
  if (experiment.trace) return run_trace_experiment(experiment, catalogue, options);
  if (experiment.peers) return run_peers_experiment(experiment, catalogue, options);
  return run_traffic_experiment(experiment, catalogue, options.seed);
}

/// A run that is longer than the clock reaches is the user's mistake.
Run run_on_clock(const Experiment& experiment, const config::Catalogue& catalogue,
                 const RunOptions& options, Detail detail) {
  try {
    return experiment.has_schedule() ? run_scheduled(experiment, catalogue, options, detail)
                                     : run_replacement(experiment, catalogue, options);
  } catch (const ClockExceeded& exceeded) {
    experiment.misfit(
        "cluster", fmt::format("{}: give faster links or devices, or less work", exceeded.what()));
  }
}

Run run(const config::Value& document, const config::Catalogue& catalogue,
        const RunOptions& options, Detail detail) {
  const StopScope scope(options.stop);
  stop_here();
  const ClockTime begin = now();
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  const double reading = seconds_since(begin);
  Run run = run_on_clock(experiment, catalogue, options, detail);
  if (!run.result.ranges.uncertainty)
    run.result.ranges.uncertainty = uncertainty_of_given(run.result.metrics.iteration);
  Cost& cost = run.result.cost;
  cost.setup_s =
      experiment.has_schedule() ? cost.setup_s + reading : seconds_since(begin) - cost.wall_s;
  cost.peak_rss_bytes = peak_resident_bytes();
  return run;
}

config::Value with_schedule(config::Value experiment, const config::Value& schedule) {
  experiment.set("schedule", schedule);
  return experiment;
}

/// Fills a row of a comparison with the run, or with the reason why there is none.
void run_row(const config::Value& experiment, const config::Catalogue& catalogue,
             const RunOptions& options, Row& row, std::optional<Misfit>& misfit) {
  try {
    row.run = run_experiment(experiment, catalogue, options);
  } catch (const Misfit& what) {
    row.reason = what.message();
    misfit = what;
  } catch (const Failure& failure) {
    row.reason = failure.what();
  }
}

}  // namespace

Run run_experiment(const config::Value& document, const config::Catalogue& catalogue,
                   const RunOptions& options) {
  return run(document, catalogue, options, Detail::everything);
}

RunResult run_quickly(const config::Value& document, const config::Catalogue& catalogue,
                      const RunOptions& options) {
  // What costs would gain is asked of communication.
  return run(document, catalogue, options, options.if_free ? Detail::numbers : Detail::times)
      .result;
}

config::Value without_variation(config::Value experiment) {
  std::erase_if(experiment.entries,
                [](const config::Entry& entry) { return entry.key == "variation"; });
  return experiment;
}

std::vector<Row> compare_schedules(const config::Value& experiment,
                                   const std::vector<config::Value>& schedules,
                                   const config::Catalogue& catalogue, const RunOptions& options,
                                   const std::function<void(size_t ended)>& progress) {
  std::vector<Row> rows(schedules.size());
  std::vector<std::optional<Misfit>> misfits(schedules.size());
  RunOptions each = options;
  if (schedules.size() > 1) each.jobs = 1;
  if (!each.machines) each.machines = std::make_shared<MachineCache>();
  std::mutex telling;
  size_t ended = 0;
  in_parallel(schedules.size(), options.jobs, [&](size_t i) {
    rows[i].schedule = schedule_name(schedules[i]);
    run_row(with_schedule(experiment, schedules[i]), catalogue, each, rows[i], misfits[i]);
    const std::lock_guard lock(telling);
    progress(++ended);
  });
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.run; });
  if (any || rows.empty()) return rows;
  for (const std::optional<Misfit>& misfit : misfits)
    if (misfit) throw *misfit;
  throw Failure(rows.front().reason);
}

}  // namespace pipewright
