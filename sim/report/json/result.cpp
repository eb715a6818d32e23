#include "report/json/result.hpp"

#include "result/memory_use.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "program/names.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_links = 10;

template <class T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A sum of byte counts, which is kept as a double because it may be larger than an integer.
Json whole(double n) {
  if (std::abs(n) < 0x1p62) return std::llround(n);
  return n;
}

/// The number that all of `text` is, if it is one.
template <class Number>
std::optional<Number> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

Json scalar(const config::Value& value) {
  const std::string& text = value.text;
  if (value.quoted) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto n = number<int64_t>(text)) return *n;
  // "inf" and "nan" are numbers to the reader, but not to JSON.
  if (const auto n = number<double>(text); n && std::isfinite(*n)) return *n;
  return text;
}

Json json(const config::Value& value) {
  switch (value.kind) {
    case config::Value::Kind::null:
      return nullptr;
    case config::Value::Kind::scalar:
      return scalar(value);
    case config::Value::Kind::list: {
      Json list = Json::array();
      for (const config::Value& item : value.items) list.push_back(json(item));
      return list;
    }
    case config::Value::Kind::map: {
      Json map = Json::object();
      for (const config::Entry& entry : value.entries) map[entry.key] = json(entry.value);
      return map;
    }
  }
  return nullptr;
}

Json json(const MemoryUse& memory) {
  return {
      {"weights", memory.weights.count},         {"weight_versions", memory.weight_versions.count},
      {"gradients", memory.gradients.count},     {"optimizer", memory.optimizer.count},
      {"activations", memory.activations.count}, {"buffers", memory.buffers.count}};
}

Json json(const RankResult& rank) {
  return {{"rank", rank.rank},
          {"stages", rank.stages},
          {"devices", rank.devices},
          {"layers", rank.layers},
          {"compute_s", in_seconds(rank.compute)},
          {"idle_s", in_seconds(rank.idle)},
          {"span_s", in_seconds(rank.span)},
          {"exposed_communication_s", in_seconds(rank.exposed_communication)},
          {"peak_memory_bytes", rank.memory.total().count},
          {"memory", json(rank.memory)},
          {"peak_in_flight", rank.peak_in_flight},
          {"peak_in_flight_to_weight_gradient", rank.peak_in_flight_to_weight_gradient},
          {"weight_versions", rank.weight_versions},
          {"staleness", rank.staleness}};
}

Json json(const SteadyState& steady) {
  return {{"period_s", in_seconds(steady.period)},
          {"bubble_fraction", steady.bubble_fraction},
          {"iterations", steady.iterations}};
}

Json json(const CriticalPath& path) {
  Json j = {{"forward_s", in_seconds(path.forward)},
            {"backward_s", in_seconds(path.backward)},
            {"input_gradient_s", in_seconds(path.input_gradient)},
            {"weight_gradient_s", in_seconds(path.weight_gradient)},
            {"step_s", in_seconds(path.step)}};
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    if (static_cast<Traffic>(kind) == Traffic::host && path.communication[kind] == Time{}) continue;
    j[std::string(to_string(static_cast<Traffic>(kind))) + "_s"] =
        in_seconds(path.communication[kind]);
  }
  j["wait_s"] = in_seconds(path.wait);
  return j;
}

Json json(const Bounds& bounds) {
  return {{"longest_chain_s", in_seconds(bounds.longest_chain)},
          {"busiest_lane_s", in_seconds(bounds.busiest_lane)},
          {"cut_s", in_seconds(bounds.cut)}};
}

Json json(const std::array<Communication, traffic_kinds>& communication) {
  Json j = Json::object();
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    const Communication& c = communication[kind];
    if (static_cast<Traffic>(kind) == Traffic::host && c.bytes == 0) continue;
    j[to_string(static_cast<Traffic>(kind))] = {{"bytes", whole(c.bytes)},
                                                {"time_s", in_seconds(c.time)},
                                                {"exposed_s", in_seconds(c.exposed)}};
  }
  return j;
}

Json json(const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return nullptr;
  return {{"p10_s", in_seconds(uncertainty->p10)},
          {"p90_s", in_seconds(uncertainty->p90)},
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
  if (!result.time_to_train_s) return;
  const double iterations = *result.time_to_train_s / in_seconds(result.metrics.iteration);
  j["time_to_train_p50_s"] = iterations * in_seconds(quantiles.p50);
  j["time_to_train_p90_s"] = iterations * in_seconds(quantiles.p90);
}

/// Appends all keys of a result to `j`.
void add(const RunResult& result, Json& j) {
  const Metrics& metrics = result.metrics;
  j["experiment"] = json(result.experiment);
  j["iteration_time_s"] = in_seconds(metrics.iteration);
  j["makespan_s"] = in_seconds(metrics.makespan);
  j["samples_per_s"] = optional(result.samples_per_s);
  j["tokens_per_s"] = optional(result.tokens_per_s);
  j["model_flops_per_s_per_device"] = optional(result.model_flops_per_s_per_device);
  j["mfu"] = optional(result.mfu);
  j["hfu"] = optional(result.hfu);
  j["bubble_fraction"] = metrics.bubble_fraction;
  if (metrics.steady) j["steady_state"] = json(*metrics.steady);
  j["max_span_s"] = in_seconds(metrics.max_span);
  j["feasible"] = result.feasible;
  j["uncertainty"] = json(result.uncertainty);
  if (result.variation) add(*result.variation, result, j);
  if (result.goodput) {
    j["goodput_fraction"] = result.goodput->fraction;
    j["best_checkpoint_interval_s"] = result.goodput->best_interval_s;
  }
  for (const auto& [what, from] : result.provenance) j["provenance"][what] = from;
  j["critical_path"] = json(metrics.critical_path);
  j["bounds"] = json(metrics.bounds);
  j["links"] = json(result.links);
  j["time_to_train_s"] = optional(result.time_to_train_s);
  j["time_to_train_cost_usd"] = optional(result.time_to_train_cost_usd);
  j["communication"] = json(metrics.communication);
  j["energy_j"] = optional(result.energy_j);
  j["cost_usd"] = optional(result.cost_usd);
  j["energy_j_per_token"] = optional(per_token(result, result.energy_j));
  j["cost_usd_per_token"] = optional(per_token(result, result.cost_usd));
  j["ranks"] = Json::array();
  for (const RankResult& rank : metrics.ranks) j["ranks"].push_back(json(rank));
  if (!result.flows.empty()) j["flows"] = Json::array();
  for (const FlowResult& flow : result.flows) j["flows"].push_back(json(flow));
  for (size_t k = 0; k < result.packets.size(); ++k) add(result.packets[k], j["flows"][k]);
  j["simulation"] = json(result.cost);
  if (!result.notes.empty()) j["simulation"]["notes"] = result.notes;
}

/// Text that is not UTF-8 (a file name may be anything) gets replacement characters.
std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Lists of plain values and small maps of them stand on one line.
bool fits_one_line(const Json& j) {
  if (std::any_of(j.begin(), j.end(), [](const Json& child) { return child.is_structured(); }))
    return false;
  return j.is_array() || dump(j).size() <= 90;
}

void write(const Json& j, size_t indent, std::string& text) {
  if (!j.is_structured()) {
    text += dump(j);
    return;
  }
  const bool one_line = fits_one_line(j);
  const std::string between = one_line ? ", " : ",\n" + std::string(indent + 2, ' ');
  text += j.is_array() ? '[' : '{';
  if (!one_line) text += between.substr(1);
  bool first = true;
  for (auto child = j.begin(); child != j.end(); ++child) {
    if (!first) text += between;
    first = false;
    if (j.is_object()) text += dump(child.key()) + ": ";
    write(*child, indent + 2, text);
  }
  if (!one_line) text += '\n' + std::string(indent, ' ');
  text += j.is_array() ? ']' : '}';
}

std::string text_of(const Json& j) {
  std::string text;
  write(j, 0, text);
  return text + '\n';
}

constexpr const char* result_schema = "pipewright.result/1";

Json json(const Row& row) {
  if (!row.run) return {{"schedule", row.schedule}, {"reason", row.reason}};
  Json j = {{"schema", result_schema}, {"schedule", row.schedule}};
  add(row.run->result, j);
  return j;
}

}  // namespace

std::string json_text(const RunResult& result) {
  Json j = {{"schema", result_schema}};
  add(result, j);
  return text_of(j);
}

std::string json_text(const config::Value& document) { return text_of(json(document)); }

std::string json_text(std::span<const Row> rows) {
  Json j = {{"schema", "pipewright.results/1"}, {"results", Json::array()}};
  for (const Row& row : rows) j["results"].push_back(json(row));
  return text_of(j);
}

}  // namespace pipewright
