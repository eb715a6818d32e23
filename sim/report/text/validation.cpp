#include "report/text/validation.hpp"

#include <fmt/format.h>

#include <map>

#include "base/required.hpp"
#include "base/text.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {
namespace {

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
  const bool fits = required(run.predicted, "it is of a prediction").feasible.value_or(true);
  const bool did = run.measured.feasible.value_or(true);
  if (did) return fits ? "" : "said not to fit";
  return fits ? "ran out of memory, not told" : "out of memory, told";
}

TableRows run_rows(const Validation& validation) {
  TableRows rows = {{"run", "predicted", "measured", "error", "memory", "measured", "error", ""}};
  for (const ValidationRun& run : validation.runs) {
    if (!run.predicted) continue;
    const bool memory = run.measured.peak_memory_bytes.has_value();
    rows.push_back(
        {run.name, time_text(*run.predicted, run.measured), time_text(run.measured, run.measured),
         error_text(run.error()), memory ? memory_text(*run.predicted) : "-",
         memory ? memory_text(run.measured) : "-", error_text(run.memory_error()), fit_text(run)});
  }
  return rows;
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
          percent_text(a.coverage),
          percent_text(a.width),
          percent_text(a.false_oom)};
}

TableRows group_rows(const Validation& validation) {
  TableRows rows = {{"group", "runs", "median", "90th", "mean", "memory", "rank", "regret",
                     "coverage", "width", "false oom"}};
  for (const GroupAccuracy& group : validation.groups)
    rows.push_back(accuracy_row(group.name, group.accuracy));
  rows.push_back(accuracy_row("all groups", validation.overall));
  return rows;
}

std::string picks(const Validation& validation) {
  const std::optional<double>& share = validation.overall.picked_within_2_percent;
  if (!share) return {};
  return fmt::format(
      "\nIn {} of the groups of five or more the run we would pick is within 2 % of the fastest.\n",
      percent(*share));
}

Report reliability(const Validation& validation) {
  if (validation.reliability.empty()) return {};
  TableRows rows = {{"said to be faster", "pairs", "said", "was"}};
  for (const ReliabilityRow& row : validation.reliability)
    rows.push_back({fmt::format("{:.0f} to {:.0f} %", 100 * row.low, 100 * row.high),
                    fmt::format("{}", row.pairs), percent(row.favoured), percent(row.faster)});
  const std::optional<double>& brier = validation.overall.brier;
  return Report()
      .lines("\nPairs of runs of one group; every group weighs the same:\n\n")
      .table(std::move(rows))
      .lines(brier ? fmt::format("Brier score {:.3f}; a coin has 0.25.\n", *brier) : "");
}

Report not_predicted(const Validation& validation) {
  std::map<std::string, int> counts;
  for (const ValidationRun& run : validation.runs)
    if (!run.predicted) ++counts[run.reason];
  std::string text;
  for (const auto& [reason, count] : counts)
    text += fmt::format("  {}: {}\n", counted(count, "run"), reason);
  return text.empty() ? Report() : Report().lines("\nNot predicted:\n").items(std::move(text));
}

}  // namespace

Report validation_report(const Validation& validation) {
  return Report()
      .heading("Predictions against measurements")
      .table(run_rows(validation))
      .lines("\n")
      .table(group_rows(validation))
      .lines(picks(validation))
      .add(reliability(validation))
      .add(not_predicted(validation));
}

}  // namespace pipewright
