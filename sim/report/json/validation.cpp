#include "report/json/validation.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/required.hpp"
#include "report/json/layout.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

/// The keys that were measured, with what `from` says of them.
template <class F>
Json measured_keys(const Outcome& measured, F&& from) {
  Json j = Json::object();
  if (measured.iteration_time_s) j["iteration_time_s"] = from(&Outcome::iteration_time_s);
  if (measured.samples_per_s) j["samples_per_s"] = from(&Outcome::samples_per_s);
  if (measured.peak_memory_bytes) j["peak_memory_bytes"] = from(&Outcome::peak_memory_bytes);
  return j;
}

Json values(const Outcome& measured, const Outcome& of) {
  Json j = measured_keys(measured, [&](auto field) { return number_or_null(of.*field); });
  if (measured.feasible) j["feasible"] = of.feasible ? Json(*of.feasible) : Json(nullptr);
  return j;
}

Json errors(const ValidationRun& run) {
  Json j = measured_keys(run.measured, [&](auto field) {
    return Json(*((*run.predicted).*field) / *(run.measured.*field) - 1);
  });
  // Told right is an error of nothing.
  if (const std::optional<bool>& did = run.measured.feasible)
    j["feasible"] = required(run.predicted, "errors are of a prediction").feasible == did ? 0 : 1;
  return j;
}

Json json(const ValidationRun& run) {
  Json j = {{"name", run.name}, {"group", run.group}};
  j["predicted"] = run.predicted ? values(run.measured, *run.predicted) : Json(nullptr);
  j["measured"] = values(run.measured, run.measured);
  j["error"] = run.predicted ? errors(run) : Json(nullptr);
  if (!run.predicted) j["reason"] = run.reason;
  return j;
}

Json json(const Accuracy& a) {
  Json j = {{"runs", a.runs},
            {"predicted", a.predicted},
            {"median_abs_error", number_or_null(a.median_abs_error)},
            {"p90_abs_error", number_or_null(a.p90_abs_error)},
            {"mean_abs_error", number_or_null(a.mean_abs_error)},
            {"memory_median_abs_error", number_or_null(a.memory_median_abs_error)},
            {"rank_correlation", number_or_null(a.rank_correlation)},
            {"regret", number_or_null(a.regret)},
            {"oom_recall", number_or_null(a.oom_recall)},
            {"false_oom", number_or_null(a.false_oom)}};
  if (a.coverage) j["coverage"] = *a.coverage;
  if (a.width) j["width"] = *a.width;
  if (a.brier) j["brier"] = *a.brier;
  if (a.picked_within_2_percent) j["picked_within_2_percent"] = *a.picked_within_2_percent;
  return j;
}

}  // namespace

std::string json_text(const Validation& validation) {
  Json j = {{"schema", "pipewright.validation/1"}, {"runs", Json::array()}};
  for (const ValidationRun& run : validation.runs) j["runs"].push_back(json(run));
  j["groups"] = Json::object();
  for (const GroupAccuracy& group : validation.groups) {
    Json& one = j["groups"][group.name] = json(group.accuracy);
    if (!group.title.empty()) one["title"] = group.title;
  }
  j["overall"] = json(validation.overall);
  j["reliability"] = Json::array();
  for (const ReliabilityRow& row : validation.reliability)
    j["reliability"].push_back({{"low", row.low},
                                {"high", row.high},
                                {"pairs", row.pairs},
                                {"said", row.favoured},
                                {"was", row.faster}});
  return dump_json(j, 1) + "\n";
}

}  // namespace pipewright
