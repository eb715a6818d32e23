#include "report/json/plan.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "config/emit.hpp"
#include "report/json/layout.hpp"
#include "report/json/metrics.hpp"
#include "result/best_probability.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

/// What the estimate is beyond the simulated time, relative; null where one of them is missing.
Json estimate_error(const Proposal& p) {
  if (!p.findings.estimate_s || !p.iteration_time_s || *p.iteration_time_s <= 0) return nullptr;
  return *p.findings.estimate_s / *p.iteration_time_s - 1;
}

Json json(const Proposal& p) {
  Json j = {{"planner", p.planner},
            {"plan", p.plan},
            {"estimate_s", number_or_null(p.findings.estimate_s)},
            {"estimate_error", estimate_error(p)},
            {"iteration_time_s", number_or_null(p.iteration_time_s)},
            {"uncertainty", range_or_null(p.range)},
            {"peak_memory_bytes", p.iteration_time_s ? whole(p.peak_memory_bytes) : Json(nullptr)},
            {"feasible", p.feasible},
            {"satisfies", p.satisfies},
            {"synchronous", p.synchronous},
            {"nodes", p.nodes},
            {"devices", p.devices},
            {"time_to_train_s", number_or_null(p.time_to_train_s)},
            {"cost_usd", number_or_null(p.cost_usd)},
            {"simulation", {{"search_s", p.findings.search_s}}}};
  if (p.seeds > 0) j["seeds"] = p.seeds;
  if (!p.reason.empty()) j["reason"] = p.reason;
  if (!p.findings.note.empty()) j["note"] = p.findings.note;
  if (const auto& faster = p.passed_over)
    j["passed_over"] = {{"plan", faster->plan},
                        {"iteration_time_s", faster->iteration_time_s},
                        {"peak_memory_bytes", whole(faster->peak_memory_bytes)}};
  for (const TimeAndMemory& point : p.findings.frontier) {
    j["frontier"].push_back({{"plan", point.plan},
                             {"estimate_s", point.time_s},
                             {"estimate_memory_bytes", whole(point.memory_bytes)},
                             {"expressible", point.expressible}});
  }
  for (const TimeAndMemory& point : p.findings.simulated_frontier) {
    j["simulated_frontier"].push_back({{"plan", point.plan},
                                       {"estimate_s", number_or_null(point.estimate_s)},
                                       {"iteration_time_s", point.time_s},
                                       {"peak_memory_bytes", whole(point.memory_bytes)}});
  }
  j["experiment_yaml"] = config::to_yaml(p.experiment);
  return j;
}

/// Returns the proposals of a list, each with its chance to be the fastest of them and its rank.
Json ranked(const std::vector<Proposal>& proposals) {
  std::vector<std::optional<double>> times;
  for (const Proposal& one : proposals)
    times.push_back(one.feasible ? one.iteration_time_s : std::nullopt);
  const std::vector<double> best = best_probabilities(times, own_deviation());
  const std::vector<int> ranks = shared_ranks(times, own_deviation());
  Json list = Json::array();
  for (size_t i = 0; i < times.size(); ++i) {
    Json& proposal = list.emplace_back(json(proposals[i]));
    proposal["best_probability"] = best[i];
    if (ranks[i] > 0) proposal["rank"] = ranks[i];
  }
  return list;
}

}  // namespace

std::string json_text(const std::vector<Proposal>& proposals) {
  return dump_json(ranked(proposals));
}

std::string json_text(const PlanResult& result) {
  Json j = {{"schema", "pipewright.plan/1"},
            {"minimize", result.minimize},
            {"best", result.best ? json(result.proposals[*result.best]) : Json(nullptr)},
            {"proposals", ranked(result.proposals)}};
  j["cluster_devices"] = result.devices;
  if (result.most_nodes > 0) j["most_nodes_tried"] = result.most_nodes;
  j["pinned"] = result.pinned;
  if (!result.top.empty()) j["top"] = ranked(result.top);
  return dump_json(j, 2) + '\n';
}

}  // namespace pipewright
