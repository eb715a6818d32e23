#include "run/goodput_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/required.hpp"
#include "base/stop.hpp"
#include "run/elastic_speed.hpp"
#include "run/failure_history.hpp"
#include "run/goodput.hpp"

namespace pipewright {
namespace {

constexpr double month = 30 * 86'400;
/// Failures and checkpoints of all histories, some seconds of work.
constexpr double most_events = 1e8;

double length_of(const FailureEvents& events) { return events.time_s.value_or(month); }

std::vector<int64_t> nodes_of(const Machine& machine) {
  std::vector<int64_t> nodes;
  for (int device = 0; device < machine.device_count(); ++device)
    nodes.push_back(machine.topology().node(device));
  return nodes;
}

FailureRates rates_of(const Prepared& prepared, double iteration_s, const ElasticSpeed& speed) {
  const Failures& failures = required(prepared.long_run.failures, "devices fail");
  const FailureEvents& events = required(failures.events, "histories are drawn");
  const double devices = prepared.devices.count();
  FailureRates rates;
  rates.nodes = speed.nodes();
  rates.node_mtbf = failures.device_mtbf_s * rates.nodes / devices;
  rates.spares = events.spares;
  rates.interval =
      failures.checkpoint_interval_s.value_or(best_interval(failures, prepared.devices.count()));
  rates.checkpoint = failures.checkpoint_time_s;
  rates.write = events.write_time_s.value_or(0);
  if (events.bandwidth)
    rates.write = prepared.work.checkpoint_bytes / events.bandwidth->bytes_per_s;
  rates.memory_interval = events.memory_interval_s.value_or(0);
  rates.memory = events.memory_time_s;
  rates.restart = failures.restart_time_s;
  rates.repair = events.repair_time_s;
  if (events.elastic != Elasticity::none && prepared.work.replicas_hold_all)
    rates.iteration = iteration_s;
  rates.time = length_of(events);
  rates.speed = [&speed](const std::set<int>& missing) { return speed.without(missing); };
  return rates;
}

double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

void require_drawable(const Experiment& e, const Prepared& prepared) {
  if (!e.failures || !e.failures->events) return;
  const FailureEvents& events = *e.failures->events;
  if (events.elastic != Elasticity::none && e.meshes.reshards())
    e.misfit("failures",
             "failures.events.elastic: stages with meshes of their own have no replicas of all");
  const double time = length_of(events), devices = prepared.devices.count();
  double each = time * devices / e.failures->device_mtbf_s;
  const double interval = e.failures->checkpoint_interval_s.value_or(
      best_interval(*e.failures, prepared.devices.count()));
  if (interval > 0) each += time / interval;
  if (events.memory_interval_s) each += time / *events.memory_interval_s;
  if (each * events.seeds > most_events)
    e.misfit("failures",
             fmt::format("failures.events: {} histories have some {:.1e} failures and checkpoints, "
                         "of which at most {:.0e} are drawn; shorten time or take fewer seeds",
                         events.seeds, each * events.seeds, most_events));
}

std::optional<GoodputEvents> goodput_events(const Prepared& prepared, double iteration_s) {
  const Failures& failures = required(prepared.long_run.failures, "devices fail");
  if (!failures.events) return std::nullopt;
  const Machine& machine = required(prepared.devices.machine, "a job has a machine");
  const ElasticSpeed speed(prepared.grid, nodes_of(machine), failures.events->elastic);
  const FailureRates rates = rates_of(prepared, iteration_s, speed);
  GoodputEvents all{.fraction = 0};
  all.seeds = failures.events->seeds;
  if (rates.interval <= 0) return all;
  std::vector<double> fractions;
  for (int seed = 0; seed < all.seeds; ++seed) {
    stop_here();
    const FailureHistory history = draw_history(rates, static_cast<uint64_t>(seed));
    const auto add = [&](double& sum, FailureShare share) {
      sum += history[share] / rates.time / all.seeds;
    };
    fractions.push_back(history[FailureShare::useful] / rates.time);
    add(all.fraction, FailureShare::useful);
    add(all.checkpoints, FailureShare::checkpoints);
    add(all.lost, FailureShare::lost);
    add(all.restarts, FailureShare::restarts);
    add(all.waiting, FailureShare::waiting);
    add(all.missing, FailureShare::missing);
    all.failures += static_cast<double>(history.failures) / all.seeds;
  }
  std::ranges::sort(fractions);
  all.p10 = quantile(fractions, 0.1);
  all.p90 = quantile(fractions, 0.9);
  return all;
}

}  // namespace pipewright
