#include "run/rates.hpp"

#include <cmath>

#include "plan/model_work.hpp"
#include "run/goodput.hpp"
#include "run/prepared.hpp"

namespace pipewright {
namespace {

void add_utilisation(const Prepared& prepared, double iteration, RunResult& result) {
  const ModelWork& work = prepared.work;
  if (work.model_flops <= 0) return;
  const double per_device = work.model_flops / iteration / prepared.devices.count;
  result.rates.model_flops_per_s_per_device = per_device;
  if (prepared.devices.peak_flops_per_s <= 0) return;
  result.rates.mfu = per_device / prepared.devices.peak_flops_per_s;
  result.rates.hfu =
      work.hardware_flops / iteration / prepared.devices.count / prepared.devices.peak_flops_per_s;
}

void add_operating_figures(const Prepared& prepared, double iteration, RunResult& result) {
  const OperatingFigures& operating = prepared.devices.operating;
  const double device_seconds = prepared.devices.count * iteration;
  if (operating.watts > 0) {
    const double idle = operating.idle_watts > 0 ? operating.idle_watts : operating.watts;
    const double busy = in_seconds(result.metrics.breakdown.computing()) / iteration;
    result.expenses.energy_j = device_seconds * (idle + (operating.watts - idle) * busy);
  }
  if (operating.price_per_hour > 0)
    result.expenses.cost_usd = device_seconds * operating.price_per_hour / 3600;
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

void add_goodput(const Failures& failures, int devices, RunResult& result) {
  result.goodput = {goodput(failures, devices), best_interval(failures, devices)};
  divide(result.expenses.energy_j, result.goodput->fraction);
  divide(result.expenses.cost_usd, result.goodput->fraction);
}

/// Adds what all iterations of a training run cost. Cost and time include what failures take, which
/// is counted once.
void add_training_cost(double iteration, RunResult& result) {
  if (!result.training.time_s || !result.expenses.cost_usd) return;
  const double useful =
      result.goodput ? *result.training.time_s * result.goodput->fraction : *result.training.time_s;
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
  if (prepared.long_run.failures)
    add_goodput(*prepared.long_run.failures, prepared.devices.count, result);
  if (!prepared.long_run.training || !result.rates.tokens_per_s) return;
  result.training.time_s = prepared.long_run.training->tokens / *result.rates.tokens_per_s;
  if (result.goodput) divide(result.training.time_s, result.goodput->fraction);
  result.training.deadline_s = prepared.long_run.training->deadline_s;
  add_training_cost(iteration, result);
}

}  // namespace pipewright
