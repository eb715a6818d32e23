#include "run/rates.hpp"

#include <cmath>
#include <map>
#include <set>

#include "base/required.hpp"
#include "plan/model_work.hpp"
#include "run/goodput.hpp"
#include "run/goodput_events.hpp"
#include "run/prepared.hpp"

namespace pipewright {
namespace {

__extension__ using Wide = __int128;

void add_utilisation(const Prepared& prepared, double iteration, RunResult& result) {
  const ModelWork& work = prepared.work;
  if (work.model_flops <= 0) return;
  result.rates.model_flops_per_s_per_device =
      work.model_flops / iteration / prepared.devices.count();
  const double peak = prepared.devices.peak_flops_per_s();
  if (peak <= 0) return;
  result.rates.mfu = work.model_flops / iteration / peak;
  result.rates.hfu = work.hardware_flops / iteration / peak;
}

/// Devices of one kind, and how long they compute together in an iteration.
struct KindUse {
  int32_t one = 0;
  int64_t devices = 0;
  Wide computing_ps = 0;
};

/// Returns what the devices take in an iteration; empty where one does not say its power.
std::optional<double> energy(const Prepared& prepared, double iteration, const Metrics& metrics) {
  std::map<int32_t, KindUse> kinds;
  for (const BusyDevices& busy : metrics.busy) {
    KindUse& kind = kinds[prepared.prices.class_of(busy.device)];
    kind.one = busy.device;
    kind.devices += busy.count;
    kind.computing_ps += Wide{busy.computing.ps} * busy.count;
  }
  double joules = 0;
  for (const auto& [number, kind] : kinds) {
    const Device* device = prepared.devices.device(kind.one);
    if (!device || device->operating.watts <= 0) return std::nullopt;
    const OperatingFigures& operating = device->operating;
    const double idle = operating.idle_watts > 0 ? operating.idle_watts : operating.watts;
    const double computing_s = static_cast<double>(kind.computing_ps) / 1e12;
    joules += idle * static_cast<double>(kind.devices) * iteration +
              (operating.watts - idle) * computing_s;
  }
  return joules > 0 ? std::optional(joules) : std::nullopt;
}

/// Returns the price of a job with its spares over that without: a node that stands by costs what
/// one of the job does on the mean.
double price_of_spares(const Prepared& prepared) {
  const std::optional<Failures>& failures = prepared.long_run.failures;
  if (!failures || !failures->events) return 1;
  const Machine& machine = required(prepared.devices.machine, "a job has a machine");
  std::set<int64_t> nodes;
  for (const int32_t device : prepared.devices.numbers)
    nodes.insert(machine.topology().node(device));
  return 1 + static_cast<double>(failures->events->spares) / static_cast<double>(nodes.size());
}

void add_operating_figures(const Prepared& prepared, double iteration, RunResult& result) {
  result.expenses.energy_j = energy(prepared, iteration, result.metrics);
  if (const double price = prepared.devices.price_per_hour(); price > 0)
    result.expenses.cost_usd = price * price_of_spares(prepared) * iteration / 3600;
}

/// Nothing where nothing gets done.
void divide(std::optional<double>& value, double fraction) {
  if (!value) return;
  const double divided = *value / fraction;
  if (std::isfinite(divided))
    value = divided;
  else
    value.reset();
}

void add_goodput(const Prepared& prepared, const Failures& failures, RunResult& result) {
  const int devices = prepared.devices.count();
  result.goodput = {goodput(failures, devices), best_interval(failures, devices), {}};
  result.goodput->events = goodput_events(prepared, in_seconds(result.metrics.iteration));
  divide(result.expenses.energy_j, result.goodput->expected());
  divide(result.expenses.cost_usd, result.goodput->expected());
}

/// Adds what all iterations of a training run cost. Cost and time include what failures take, which
/// is counted once.
void add_training_cost(double iteration, RunResult& result) {
  if (!result.training.time_s || !result.expenses.cost_usd) return;
  const double useful = result.goodput ? *result.training.time_s * result.goodput->expected()
                                       : *result.training.time_s;
  result.training.cost_usd = *result.expenses.cost_usd * (useful / iteration);
}

}  // namespace

void add_rates(const Prepared& prepared, RunResult& result) {
  const double iteration = in_seconds(result.metrics.iteration);
  const ModelWork& work = prepared.work;
  if (iteration <= 0) return;
  result.rates.samples_per_s = work.samples / iteration;
  if (work.tokens > 0) result.rates.tokens_per_s = work.tokens / iteration;
  add_utilisation(prepared, iteration, result);
  add_operating_figures(prepared, iteration, result);
  if (prepared.long_run.failures) add_goodput(prepared, *prepared.long_run.failures, result);
  if (!prepared.long_run.training || !result.rates.tokens_per_s) return;
  result.training.time_s = prepared.long_run.training->tokens / *result.rates.tokens_per_s;
  if (result.goodput) divide(result.training.time_s, result.goodput->expected());
  result.training.deadline_s = prepared.long_run.training->deadline_s;
  add_training_cost(iteration, result);
}

}  // namespace pipewright
