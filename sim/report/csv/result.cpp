#include "report/csv/result.hpp"

#include <fmt/format.h>

#include "program/names.hpp"
#include "report/csv/field.hpp"
#include "result/objectives.hpp"
#include "result/totals.hpp"

namespace pipewright {
namespace {

struct Column {
  std::string name;
  std::string field;
};

template <class T>
std::string field(const T& value) {
  return fmt::format("{}", value);
}
std::string field(Time time) { return field(in_seconds(time)); }
std::string field(Bytes bytes) { return field(bytes.count); }
template <class T>
std::string field(const std::optional<T>& value) {
  return value ? field(*value) : std::string{};
}

void add_communication(const Metrics& metrics, std::vector<Column>& columns) {
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    const Communication& c = metrics.communication[kind];
    const std::string name = to_string(static_cast<Traffic>(kind));
    columns.push_back({name + "_bytes", fmt::format("{:.0f}", c.bytes)});
    columns.push_back({name + "_time_s", field(c.time)});
    columns.push_back({name + "_exposed_s", field(metrics.breakdown.exposed[kind])});
  }
}

/// The mean device's iteration is made of these and of what is exposed of each communication.
void add_breakdown(const Breakdown& breakdown, std::vector<Column>& columns) {
  for (size_t kind = 0; kind < compute_kinds; ++kind)
    columns.push_back({std::string(name_of(static_cast<ComputeKind>(kind))) + "_s",
                       field(breakdown.compute[kind])});
  columns.push_back({"host_s", field(breakdown.host)});
  columns.push_back({"bubble_s", field(breakdown.bubble)});
}

/// What tables show and rank by: of the median draw where a run draws anything.
void add_typical(const RunResult& result, std::vector<Column>& columns) {
  for (const char* name :
       {"iteration_time_s", "samples_per_s", "tokens_per_s", "mfu", "cost_usd", "time_to_train_s"})
    columns.push_back({fmt::format("typical_{}", name), field(objective_value(result, name))});
}

/// Names and fields of all columns between `schedule` and `reason`.
std::vector<Column> columns_of(const RunResult& result) {
  const Metrics& metrics = result.metrics;
  const Totals most = totals(result);
  std::vector<Column> columns = {
      {"feasible", result.fit.feasible ? "true" : "false"},
      {"iteration_time_s", field(metrics.iteration)},
      {"makespan_s", field(metrics.makespan)},
      {"samples_per_s", field(result.rates.samples_per_s)},
      {"tokens_per_s", field(result.rates.tokens_per_s)},
      {"model_flops_per_s_per_device", field(result.rates.model_flops_per_s_per_device)},
      {"mfu", field(result.rates.mfu)},
      {"hfu", field(result.rates.hfu)},
      {"idle_fraction", field(metrics.idle_fraction)},
      {"bubble_fraction", field(metrics.bubble_fraction())},
      {"max_span_s", field(metrics.max_span)},
      {"peak_memory_bytes", field(most.peak_memory)},
      {"peak_in_flight", field(most.peak_in_flight)},
      {"peak_in_flight_to_weight_gradient", field(most.peak_in_flight_to_weight_gradient)},
      {"weight_versions", field(most.weight_versions)},
      {"staleness", field(most.staleness)},
      {"longest_chain_s", field(metrics.bounds.longest_chain)},
      {"busiest_lane_s", field(metrics.bounds.busiest_lane)},
      {"cut_s", field(metrics.bounds.cut)}};
  add_communication(metrics, columns);
  add_breakdown(metrics.breakdown, columns);
  columns.push_back({"energy_j", field(result.expenses.energy_j)});
  columns.push_back({"cost_usd", field(result.expenses.cost_usd)});
  columns.push_back({"energy_j_per_token", field(per_token(result, result.expenses.energy_j))});
  columns.push_back({"cost_usd_per_token", field(per_token(result, result.expenses.cost_usd))});
  columns.push_back({"time_to_train_s", field(result.training.time_s)});
  columns.push_back({"time_to_train_cost_usd", field(result.training.cost_usd)});
  const auto quantile = [&](Time Quantiles::*which) {
    return result.ranges.variation ? field((*result.ranges.variation).*which) : std::string{};
  };
  columns.push_back({"p10_s", quantile(&Quantiles::p10)});
  columns.push_back({"p50_s", quantile(&Quantiles::p50)});
  columns.push_back({"p90_s", quantile(&Quantiles::p90)});
  columns.push_back({"goodput_fraction", result.goodput ? field(result.goodput->expected()) : ""});
  const std::optional<Uncertainty>& range = result.ranges.uncertainty;
  columns.push_back({"uncertainty_p10_s", range ? field(range->p10) : ""});
  columns.push_back({"uncertainty_p90_s", range ? field(range->p90) : ""});
  add_typical(result, columns);
  return columns;
}

}  // namespace

std::string csv_header() {
  std::string line = "schedule";
  for (const Column& column : columns_of({})) line += ',' + column.name;
  return line + ",reason";
}

std::string csv_line(const RunResult& result) {
  std::string line = csv_field(result.schedule);
  for (const Column& column : columns_of(result)) line += ',' + column.field;
  return line + ',';
}

std::string csv_line(std::string_view schedule, std::string_view reason) {
  static const std::string commas(columns_of({}).size() + 1, ',');
  return csv_field(schedule) + commas + csv_field(reason);
}

std::string csv_text(const RunResult& result) {
  return csv_header() + '\n' + csv_line(result) + '\n';
}

std::string csv_text(std::span<const Row> rows) {
  std::string text = csv_header() + '\n';
  for (const Row& row : rows)
    text += (row.run ? csv_line(row.run->result) : csv_line(row.schedule, row.reason)) + '\n';
  return text;
}

}  // namespace pipewright
