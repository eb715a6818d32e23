#include "report/json/plan.hpp"

#include <nlohmann/json.hpp>

#include "config/emit.hpp"
#include "report/json/layout.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

Json json(const Proposal& p) {
  Json j = {{"planner", p.planner},
            {"plan", p.plan},
            {"estimate_s", number_or_null(p.estimate_s)},
            {"iteration_time_s", number_or_null(p.iteration_time_s)},
            {"peak_memory_bytes", p.iteration_time_s ? Json(p.peak_memory_bytes) : Json(nullptr)},
            {"feasible", p.feasible},
            {"satisfies", p.satisfies},
            {"synchronous", p.synchronous},
            {"nodes", p.nodes},
            {"time_to_train_s", number_or_null(p.time_to_train_s)},
            {"cost_usd", number_or_null(p.cost_usd)},
            {"simulation", {{"search_s", p.search_s}}}};
  if (!p.reason.empty()) j["reason"] = p.reason;
  if (!p.note.empty()) j["note"] = p.note;
  for (const TimeAndMemory& point : p.frontier) {
    j["frontier"].push_back({{"plan", point.plan},
                             {"estimate_s", point.time_s},
                             {"memory_bytes", point.memory_bytes},
                             {"expressible", point.expressible}});
  }
  j["experiment_yaml"] = config::to_yaml(p.experiment);
  return j;
}

}  // namespace

std::string json_text(const PlanResult& result) {
  Json j = {{"schema", "pipewright.plan/1"},
            {"minimize", result.minimize},
            {"best", result.best ? json(result.proposals[*result.best]) : Json(nullptr)},
            {"proposals", Json::array()}};
  for (const Proposal& proposal : result.proposals) j["proposals"].push_back(json(proposal));
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace pipewright
