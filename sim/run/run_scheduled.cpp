#include "run/run_scheduled.hpp"

#include "base/clock.hpp"
#include "base/stop.hpp"
#include "run/execute.hpp"
#include "run/executed.hpp"
#include "run/if_free.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "run/uncertainty.hpp"
#include "run/vary.hpp"

namespace pipewright {
namespace {

void add(const Executed& run, Cost& cost) {
  cost.wall_s += run.wall_s;
  cost.events += run.program.ops.size() + (run.packets ? run.packets->sent : 0);
}

/// A run that is long enough for the steady state of an asynchronous schedule, where that of
/// `schedule` is not.
std::optional<Metrics> run_longer(const Experiment& experiment, const schedule::Schedule& schedule,
                                  const config::Catalogue& catalogue, const RunOptions& options,
                                  Detail detail, Cost& cost) {
  const int enough = schedule::steady_iterations(schedule);
  if (schedule.synchronous || schedule.iterations >= enough || !options.steady_state) return {};
  Experiment longer = experiment;
  longer.iterations = enough;
  const Prepared prepared = prepare(longer, catalogue, options);
  const Executed run = execute(prepared);
  add(run, cost);
  Metrics metrics = metrics_of(prepared, run.program, run.timeline, detail);
  if (options.if_free) metrics.detail.if_free = if_free(prepared, metrics);
  return metrics;
}

/// Returns what the mean iteration would gain: inner iterations, and exchanges between sites where
/// what replicas send costs nothing.
IfFree gains_of(const Prepared& prepared, const RunResult& result) {
  if (!result.outer) return if_free(prepared, result.metrics);
  Metrics inner = result.metrics;
  inner.iteration = result.outer->inner;
  IfFree gain = if_free(prepared, inner);
  gain.traffic[static_cast<size_t>(Traffic::data)] +=
      Time{result.outer->exposed.ps / result.outer->every};
  return gain;
}

/// What differs from seed to seed: chips and kernels where the experiment says so, and routes where
/// they are drawn.
std::optional<Variation> variation_of(const Experiment& experiment) {
  const NetworkOptions& network = experiment.network;
  if (experiment.variation || !network.draws()) return experiment.variation;
  return Variation{.compute_spread = 0, .kernel_spread = 0, .seeds = network.flow.seeds};
}

/// The iteration time of the steady state, by seed, where that differs.
std::optional<Quantiles> run_varied(const Experiment& experiment, const Prepared& prepared,
                                    const config::Catalogue& catalogue, const RunOptions& options) {
  const std::optional<Variation> variation = variation_of(experiment);
  if (!variation) return {};
  const int enough = schedule::steady_iterations(prepared.schedule);
  if (prepared.schedule.synchronous || prepared.schedule.iterations >= enough)
    return vary(prepared, *variation, options);
  Experiment longer = experiment;
  longer.iterations = enough;
  return vary(prepare(longer, catalogue, options), *variation, options);
}

}  // namespace

Run run_scheduled(const Experiment& experiment, const config::Catalogue& catalogue,
                  const RunOptions& options, Detail detail) {
  const ClockTime begin = now();
  const Prepared prepared = prepare(experiment, catalogue, options);
  stop_here();
  const bool is_seen = detail != Detail::times;
  Executed executed =
      execute(prepared, {}, is_seen ? PeriodSearch::of_many : PeriodSearch::of_some);
  stop_here();
  Cost cost;
  add(executed, cost);
  const std::optional<Metrics> longer =
      run_longer(experiment, prepared.schedule, catalogue, options, detail, cost);
  cost.setup_s = seconds_since(begin) - cost.wall_s;
  const std::optional<Quantiles> quantiles = run_varied(experiment, prepared, catalogue, options);
  stop_here();
  Run run = result_of(prepared, std::move(executed), longer ? &*longer : nullptr, detail);
  if (options.if_free && !longer)
    run.result.metrics.detail.if_free = gains_of(prepared, run.result);
  run.result.ranges.variation = quantiles;
  stop_here();
  run.result.ranges.uncertainty =
      uncertainty(experiment, prepared, run.program, run.timeline, run.result.metrics);
  run.result.cost = cost;
  return run;
}

}  // namespace pipewright
