#include "report/text/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/csv/result.hpp"
#include "report/text/table.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string error_text(const std::optional<double>& error) {
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

std::string percent_text(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

std::string time_text(const Outcome& outcome, const Outcome& kind) {
  if (kind.iteration_time_s)
    return outcome.iteration_time_s ? human_time(*outcome.iteration_time_s) : "-";
  if (kind.samples_per_s && outcome.samples_per_s)
    return human_number(*outcome.samples_per_s) + " /s";
  return "-";
}

std::string memory_text(const Outcome& outcome) {
  return outcome.peak_memory_bytes ? human_bytes(*outcome.peak_memory_bytes) : "-";
}

std::string fit_text(const ValidationRun& run) {
  const bool fits = run.predicted->feasible.value_or(true);
  const bool did = run.measured.feasible.value_or(true);
  if (did) return fits ? "" : "said not to fit";
  return fits ? "ran out of memory, not told" : "out of memory, told";
}

std::string run_rows(const Validation& validation) {
  Rows rows = {{"run", "predicted", "measured", "error", "memory", "measured", "error", ""}};
  for (const ValidationRun& run : validation.runs) {
    if (!run.predicted) continue;
    const bool memory = run.measured.peak_memory_bytes.has_value();
    rows.push_back(
        {run.name, time_text(*run.predicted, run.measured), time_text(run.measured, run.measured),
         error_text(run.error()), memory ? memory_text(*run.predicted) : "-",
         memory ? memory_text(run.measured) : "-", error_text(run.memory_error()), fit_text(run)});
  }
  return aligned(rows);
}

std::vector<std::string> accuracy_row(const std::string& name, const Accuracy& a) {
  return {name,
          fmt::format("{}/{}", a.predicted, a.runs),
          percent_text(a.median_abs_error),
          percent_text(a.p90_abs_error),
          percent_text(a.mean_abs_error),
          percent_text(a.memory_median_abs_error),
          a.rank_correlation ? fmt::format("{:.2f}", *a.rank_correlation) : "-",
          percent_text(a.regret),
          percent_text(a.false_oom)};
}

std::string group_rows(const Validation& validation) {
  Rows rows = {
      {"group", "runs", "median", "90th", "mean", "memory", "rank", "regret", "false oom"}};
  for (const GroupAccuracy& group : validation.groups)
    rows.push_back(accuracy_row(group.name, group.accuracy));
  rows.push_back(accuracy_row("all groups", validation.overall));
  return aligned(rows);
}

std::string picks(const Validation& validation) {
  const std::optional<double>& share = validation.overall.picked_within_2_percent;
  if (!share) return {};
  return fmt::format(
      "\nIn {} of the groups of five or more the run we would pick is within 2 % of the fastest.\n",
      percent(*share));
}

std::string reasons(const Validation& validation) {
  std::map<std::string, int> counts;
  for (const ValidationRun& run : validation.runs)
    if (!run.predicted) ++counts[run.reason];
  std::string text;
  for (const auto& [reason, count] : counts)
    text += fmt::format("  {}: {}\n", counted(count, "run"), reason);
  return text.empty() ? text : "\nNot predicted:\n" + text;
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

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
  Json j = measured_keys(measured, [&](auto field) { return number(of.*field); });
  if (measured.feasible) j["feasible"] = of.feasible ? Json(*of.feasible) : Json(nullptr);
  return j;
}

Json errors(const ValidationRun& run) {
  Json j = measured_keys(run.measured, [&](auto field) {
    return Json(*((*run.predicted).*field) / *(run.measured.*field) - 1);
  });
  // Told right is an error of nothing.
  if (run.measured.feasible)
    j["feasible"] = *run.predicted->feasible == *run.measured.feasible ? 0 : 1;
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
            {"median_abs_error", number(a.median_abs_error)},
            {"p90_abs_error", number(a.p90_abs_error)},
            {"mean_abs_error", number(a.mean_abs_error)},
            {"memory_median_abs_error", number(a.memory_median_abs_error)},
            {"rank_correlation", number(a.rank_correlation)},
            {"regret", number(a.regret)},
            {"oom_recall", number(a.oom_recall)},
            {"false_oom", number(a.false_oom)}};
  if (a.picked_within_2_percent) j["picked_within_2_percent"] = *a.picked_within_2_percent;
  return j;
}

std::string cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string{};
}

std::string cell(const std::optional<bool>& value) {
  return value ? (*value ? "true" : "false") : "";
}

}  // namespace

std::string summary(const Validation& validation) {
  return run_rows(validation) + "\n" + group_rows(validation) + picks(validation) +
         reasons(validation);
}

std::string json_text(const Validation& validation) {
  Json j = {{"schema", "pipewright.validation/1"}, {"runs", Json::array()}};
  for (const ValidationRun& run : validation.runs) j["runs"].push_back(json(run));
  j["groups"] = Json::object();
  for (const GroupAccuracy& group : validation.groups)
    j["groups"][group.name] = json(group.accuracy);
  j["overall"] = json(validation.overall);
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_text(const Validation& validation) {
  std::string text =
      "name,group,predicted_iteration_time_s,iteration_time_s,predicted_samples_per_s,"
      "samples_per_s,error,predicted_peak_memory_bytes,peak_memory_bytes,memory_error,"
      "predicted_feasible,feasible,reason\n";
  for (const ValidationRun& run : validation.runs) {
    const Outcome predicted = run.predicted.value_or(Outcome{});
    const Outcome& measured = run.measured;
    const std::string cells[] = {csv_field(run.name),
                                 csv_field(run.group),
                                 cell(predicted.iteration_time_s),
                                 cell(measured.iteration_time_s),
                                 cell(predicted.samples_per_s),
                                 cell(measured.samples_per_s),
                                 cell(run.error()),
                                 cell(predicted.peak_memory_bytes),
                                 cell(measured.peak_memory_bytes),
                                 cell(run.memory_error()),
                                 cell(predicted.feasible),
                                 cell(measured.feasible),
                                 csv_field(run.reason)};
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace pipewright
