#include "report/json/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json/document.hpp"
#include "report/json/layout.hpp"
#include "report/json/metrics.hpp"
#include "result/best_probability.hpp"
#include "result/like_runs.hpp"
#include "result/objectives.hpp"
#include "result/ranges.hpp"
#include "result/typical_time.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_links = 10;
constexpr const char* result_schema = "pipewright.result/1";

/// Returns the published runs that the range rests on, and how far off their predictions were.
std::string basis(const Uncertainty& uncertainty) {
  const std::string text = like_runs(uncertainty.regime).text();
  return text.empty() ? uncertainty.basis : fmt::format("{}; {}", uncertainty.basis, text);
}

Json json(const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return nullptr;
  return {{"p10_s", in_seconds(uncertainty->p10)},
          {"p90_s", in_seconds(uncertainty->p90)},
          {"regime", uncertainty->regime.text()},
          {"basis", basis(*uncertainty)},
          {"extrapolated_ops", uncertainty->extrapolated_ops}};
}

Json json(const std::vector<LinkUse>& links) {
  Json list = Json::array();
  for (const LinkUse& link : std::span(links).first(std::min(links.size(), most_links))) {
    list.push_back(
        {{"name", link.name}, {"bytes", whole(link.bytes)}, {"busy_fraction", link.busy_fraction}});
  }
  return list;
}

Json json(const GoodputEvents& events) {
  return {{"fraction", events.fraction},
          {"p10", events.p10},
          {"p90", events.p90},
          {"checkpoints_fraction", events.checkpoints},
          {"lost_fraction", events.lost},
          {"restarts_fraction", events.restarts},
          {"waiting_fraction", events.waiting},
          {"missing_fraction", events.missing},
          {"failures", events.failures},
          {"seeds", events.seeds}};
}

Json json(const OuterResult& outer) {
  return {{"sites", outer.sites},
          {"every", outer.every},
          {"fragments", outer.fragments},
          {"inner_iteration_time_s", in_seconds(outer.inner)},
          {"exchange_s", in_seconds(outer.exchange)},
          {"exposed_s", in_seconds(outer.exposed)},
          {"compute_s", in_seconds(outer.compute)}};
}

Json json(const FlowResult& flow) {
  return {{"from", flow.from},
          {"to", flow.to},
          {"bytes", flow.bytes.count},
          {"start_s", in_seconds(flow.start)},
          {"end_s", in_seconds(flow.end)}};
}

void add(const PacketFlowResult& packets, Json& flow) {
  flow["packets"] = packets.packets;
  flow["dropped_packets"] = packets.dropped;
  flow["repeated_packets"] = packets.repeated;
  flow["timeouts"] = packets.timeouts;
}

Json json(const Cost& cost) {
  const double per_s = static_cast<double>(cost.events) / cost.wall_s;  // no number for no time
  return {{"events", cost.events},
          {"wall_s", cost.wall_s},
          {"setup_s", cost.setup_s},
          {"events_per_s", std::isfinite(per_s) ? Json(per_s) : Json(nullptr)},
          {"peak_rss_bytes", cost.peak_rss_bytes}};
}

/// A whole training run takes as many times as long as an iteration does.
void add(const Quantiles& quantiles, const RunResult& result, Json& j) {
  j["p10_s"] = in_seconds(quantiles.p10);
  j["p50_s"] = in_seconds(quantiles.p50);
  j["p90_s"] = in_seconds(quantiles.p90);
  j["p95_s"] = in_seconds(quantiles.p95);
  j["seeds"] = quantiles.seeds;
  if (!result.training.time_s) return;
  const double iterations = *result.training.time_s / in_seconds(result.metrics.iteration);
  j["time_to_train_p50_s"] = iterations * in_seconds(quantiles.p50);
  j["time_to_train_p90_s"] = iterations * in_seconds(quantiles.p90);
}

/// Appends all keys of a result to `j`.
void add(const RunResult& result, Json& j) {
  const Metrics& metrics = result.metrics;
  j["experiment"] = document_json(result.experiment);
  j["iteration_time_s"] = in_seconds(metrics.iteration);
  j["makespan_s"] = in_seconds(metrics.makespan);
  j["samples_per_s"] = number_or_null(result.rates.samples_per_s);
  j["tokens_per_s"] = number_or_null(result.rates.tokens_per_s);
  j["model_flops_per_s_per_device"] = number_or_null(result.rates.model_flops_per_s_per_device);
  j["mfu"] = number_or_null(result.rates.mfu);
  j["hfu"] = number_or_null(result.rates.hfu);
  j["idle_fraction"] = metrics.idle_fraction;
  j["bubble_fraction"] = metrics.bubble_fraction();
  j["breakdown"] = json_of(metrics.breakdown);
  if (metrics.steady) j["steady_state"] = json_of(*metrics.steady);
  j["max_span_s"] = in_seconds(metrics.max_span);
  j["feasible"] = result.fit.feasible;
  if (result.fit.device_memory) j["device_memory_bytes"] = result.fit.device_memory->count;
  for (const Remedy& remedy : result.fit.remedies)
    j["remedies"].push_back({{"set", remedy.changes},
                             {"iteration_time_s", in_seconds(remedy.iteration)},
                             {"peak_memory_bytes", remedy.fullest.count}});
  j["uncertainty"] = json(result.ranges.uncertainty);
  if (result.ranges.variation) add(*result.ranges.variation, result, j);
  if (result.outer) j["outer"] = json(*result.outer);
  if (result.goodput) {
    j["goodput_fraction"] = result.goodput->expected();
    j["goodput_formula_fraction"] = result.goodput->fraction;
    j["best_checkpoint_interval_s"] = result.goodput->best_interval_s;
    if (result.goodput->events) j["goodput_events"] = json(*result.goodput->events);
  }
  for (const auto& [what, from] : result.provenance) j["provenance"][what] = from;
  j["critical_path"] = json_of(metrics.critical_path);
  j["bounds"] = json_of(metrics.bounds);
  j["links"] = json(result.links);
  j["time_to_train_s"] = number_or_null(result.training.time_s);
  j["time_to_train_cost_usd"] = number_or_null(result.training.cost_usd);
  j["communication"] = communication_of(metrics);
  j["energy_j"] = number_or_null(result.expenses.energy_j);
  j["cost_usd"] = number_or_null(result.expenses.cost_usd);
  j["energy_j_per_token"] = number_or_null(per_token(result, result.expenses.energy_j));
  j["cost_usd_per_token"] = number_or_null(per_token(result, result.expenses.cost_usd));
  j["ranks"] = Json::array();
  for (const RankResult& rank : metrics.ranks) j["ranks"].push_back(json_of(rank));
  add_detail(metrics.detail, j);
  if (!result.traffic.flows.empty()) j["flows"] = Json::array();
  for (const FlowResult& flow : result.traffic.flows) j["flows"].push_back(json(flow));
  for (size_t k = 0; k < result.traffic.packets.size(); ++k)
    add(result.traffic.packets[k], j["flows"][k]);
  j["simulation"] = json(result.cost);
  if (!result.notes.empty()) j["simulation"]["notes"] = result.notes;
}

Json json(const Row& row) {
  if (!row.run) return {{"schedule", row.schedule}, {"reason", row.reason}};
  Json j = {{"schema", result_schema}, {"schedule", row.schedule}};
  add(row.run->result, j);
  return j;
}

/// By how much rows may be off that others are not.
double deviation_of(std::span<const Row> rows) {
  for (const Row& row : rows)
    if (row.run && row.run->result.ranges.uncertainty)
      return own_deviation(row.run->result.ranges.uncertainty->regime);
  return own_deviation();
}

}  // namespace

std::string json_text(const RunResult& result) {
  Json j = {{"schema", result_schema}};
  add(result, j);
  return laid_out(j);
}

std::string json_text(std::span<const Row> rows) {
  Json j = {{"schema", "pipewright.results/1"}, {"results", Json::array()}};
  std::vector<std::optional<double>> times;
  for (const Row& row : rows)
    times.push_back(row.run && row.run->result.fit.feasible
                        ? std::optional(in_seconds(typical_time(row.run->result)))
                        : std::nullopt);
  const double deviation = deviation_of(rows);
  const std::vector<double> best = best_probabilities(times, deviation);
  const std::vector<int> ranks = shared_ranks(times, deviation);
  for (size_t i = 0; i < rows.size(); ++i) {
    Json& row = j["results"].emplace_back(json(rows[i]));
    if (rows[i].run) row["best_probability"] = best[i];
    if (ranks[i] > 0) row["rank"] = ranks[i];
  }
  return laid_out(j);
}

}  // namespace pipewright
