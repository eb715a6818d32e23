#include "result/objectives.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "result/typical_time.hpp"

namespace pipewright {
namespace {

struct Objective {
  std::string_view name;
  bool gain;
  std::optional<double> (*value)(const RunResult& result);
  bool judges = true;  ///< a study may be judged by it
};

double peak_memory(const RunResult& result) {
  int64_t peak = 0;
  for (const RankResult& rank : result.metrics.ranks)
    peak = std::max(peak, rank.memory.total().count);
  return static_cast<double>(peak);
}

/// Returns the exposed communication of the rank that waits longest.
double exposed_communication(const RunResult& result) {
  Time longest;
  for (const RankResult& rank : result.metrics.ranks)
    longest = std::max(longest, rank.breakdown.communicating());
  return in_seconds(longest);
}

using Value = std::optional<double>;
using R = const RunResult&;

/// Returns a quantile of the draws; there is none where nothing is drawn.
Value quantile(R result, Time Quantiles::*which) {
  const auto& draws = result.ranges.variation;
  return draws ? Value(in_seconds((*draws).*which)) : std::nullopt;
}

/// Returns what `rate`, a rate of the unvaried iteration, is at the time that runs are judged by.
Value typical_rate(R result, Value rate) {
  return rate ? Value(*rate / typical_slowdown(result)) : rate;
}

/// Returns what an iteration costs in the time that runs are judged by.
Value typical_cost(R result) {
  const Value& cost = result.expenses.cost_usd;
  return cost ? Value(*cost * typical_slowdown(result)) : cost;
}

/// Returns what the whole training costs in that time.
Value typical_cost_of_training(R result) {
  const Value& cost = result.training.cost_usd;
  return cost ? Value(*cost * typical_slowdown(result)) : cost;
}

Value exposed(R result, Traffic kind) {
  return in_seconds(result.metrics.breakdown.exposed[static_cast<size_t>(kind)]);
}

Value samples_per_device(R result) {
  if (!result.rates.samples_per_s || result.devices.used == 0) return std::nullopt;
  return typical_rate(result, *result.rates.samples_per_s / result.devices.used);
}

Value device_count(R result, int count) {
  return result.devices.used > 0 ? Value(count) : std::nullopt;
}

constexpr std::array<Objective, 35> objectives{{
    {"iteration_time_s", false, [](R r) -> Value { return in_seconds(typical_time(r)); }},
    {"makespan_s", false, [](R r) -> Value { return in_seconds(r.metrics.makespan); }},
    {"max_span_s", false, [](R r) -> Value { return in_seconds(r.metrics.max_span); }},
    {"idle_fraction", false, [](R r) -> Value { return r.metrics.idle_fraction; }},
    {"bubble_fraction", false, [](R r) -> Value { return r.metrics.bubble_fraction(); }},
    {"peak_memory_bytes", false, [](R r) -> Value { return peak_memory(r); }},
    {"exposed_communication_s", false, [](R r) -> Value { return exposed_communication(r); }},
    {"compute_s", false, [](R r) -> Value { return in_seconds(r.metrics.breakdown.computing()); }},
    {"pipeline_exposed_s", false, [](R r) { return exposed(r, Traffic::pipeline); }},
    {"tensor_exposed_s", false, [](R r) { return exposed(r, Traffic::tensor); }},
    {"data_exposed_s", false, [](R r) { return exposed(r, Traffic::data); }},
    {"expert_exposed_s", false, [](R r) { return exposed(r, Traffic::expert); }},
    {"context_exposed_s", false, [](R r) { return exposed(r, Traffic::context); }},
    {"offload_exposed_s", false, [](R r) { return exposed(r, Traffic::host); }},
    {"host_s", false, [](R r) -> Value { return in_seconds(r.metrics.breakdown.host); }},
    {"bubble_s", false, [](R r) -> Value { return in_seconds(r.metrics.breakdown.bubble); }},
    {"energy_j", false, [](R r) { return r.expenses.energy_j; }},
    {"cost_usd", false, typical_cost},
    {"energy_j_per_token", false, [](R r) { return per_token(r, r.expenses.energy_j); }},
    {"cost_usd_per_token", false, [](R r) { return per_token(r, typical_cost(r)); }},
    {"time_to_train_s", false, typical_time_to_train_s},
    {"time_to_train_cost_usd", false, typical_cost_of_training},
    {"p10_s", false, [](R r) { return quantile(r, &Quantiles::p10); }},
    {"p50_s", false, [](R r) { return quantile(r, &Quantiles::p50); }},
    {"p90_s", false, [](R r) { return quantile(r, &Quantiles::p90); }},
    {"goodput_fraction", true,
     [](R r) { return r.goodput ? Value(r.goodput->expected()) : std::nullopt; }},
    {"samples_per_s", true, [](R r) { return typical_rate(r, r.rates.samples_per_s); }},
    {"tokens_per_s", true, [](R r) { return typical_rate(r, r.rates.tokens_per_s); }},
    {"model_flops_per_s_per_device", true,
     [](R r) { return typical_rate(r, r.rates.model_flops_per_s_per_device); }},
    {"mfu", true, [](R r) { return typical_rate(r, r.rates.mfu); }},
    {"hfu", true, [](R r) { return typical_rate(r, r.rates.hfu); }},
    {"samples_per_s_per_device", true, samples_per_device},
    {"devices", false, [](R r) { return device_count(r, r.devices.used); }},
    {"idle_devices", false, [](R r) { return device_count(r, r.devices.idle); }},
    {degree_of_data, false, [](R) { return Value(); }, false},
}};

const Objective& find(std::string_view name) {
  const auto* found = std::find_if(objectives.begin(), objectives.end(),
                                   [&](const Objective& o) { return o.name == name; });
  ensure(found != objectives.end(), "objectives are checked when a study is read");
  return *found;
}

}  // namespace

const std::vector<std::string_view>& objective_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Objective& objective : objectives) list.push_back(objective.name);
    return list;
  }();
  return names;
}

const std::vector<std::string_view>& judging_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Objective& objective : objectives)
      if (objective.judges) list.push_back(objective.name);
    return list;
  }();
  return names;
}

bool is_gain(std::string_view objective) { return find(objective).gain; }

std::optional<double> objective_value(const RunResult& result, std::string_view objective) {
  return find(objective).value(result);
}

std::optional<double> per_token(const RunResult& result, const std::optional<double>& whole) {
  if (!whole || !result.rates.tokens_per_s) return std::nullopt;
  return *whole / (*result.rates.tokens_per_s * in_seconds(result.metrics.iteration));
}

}  // namespace pipewright
