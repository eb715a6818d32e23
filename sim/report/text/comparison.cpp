#include "report/text/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/ranking/schedules.hpp"
#include "report/text/draws.hpp"
#include "report/text/numbers.hpp"
#include "report/text/recommendation.hpp"
#include "result/fit.hpp"
#include "result/typical_time.hpp"

namespace pipewright {
namespace {

std::string stale(const RankedSchedule& c) {
  if (c.result->synchronous) return "-";
  return counted(c.most.staleness, "step");
}

/// Returns what the numbers of asynchronous rows are.
std::string steady_note(const std::vector<RankedSchedule>& candidates) {
  const bool any = std::any_of(candidates.begin(), candidates.end(),
                               [](const RankedSchedule& c) { return c.result->metrics.steady; });
  if (!any) return {};
  return "\nAsynchronous schedules are shown in their steady state, whose period is the "
         "iteration.\n";
}

/// Returns what the times are where chips or routes are drawn.
std::string median_note(const std::vector<RankedSchedule>& candidates) {
  const int seeds = candidates.empty() ? 0 : seeds_of(*candidates.front().result);
  return seeds == 0 ? "" : '\n' + draws_line(seeds);
}

std::string fits(const RankedSchedule& c) {
  if (!c.result->fit.feasible) return "NO";
  return memory_is_known(*c.result) ? "yes" : "-";
}

std::vector<std::string> table_row(const RankedSchedule& c, const RankedSchedule& best) {
  const double ratio = best.time == Time{} ? 1 : in_seconds(c.time) / in_seconds(best.time);
  return {c.name(),
          human(c.time),
          fmt::format("{:.3f}", ratio),
          percent(c.result->metrics.bubble_fraction()),
          human(c.most.peak_memory),
          fmt::format("{}", c.most.peak_in_flight),
          fmt::format("{}", c.most.weight_versions),
          stale(c),
          fits(c)};
}

}  // namespace

Report comparison_report(std::span<const Row> rows) {
  const std::vector<RankedSchedule> candidates = ranked(rows);
  TableRows table = {{"schedule", "iteration", "ratio", "bubble", "peak memory", "in flight",
                      "versions", "staleness", "fits"}};
  for (const RankedSchedule& c : candidates) table.push_back(table_row(c, candidates.front()));
  size_t width = table.front().front().size();
  for (const Row& row : rows) width = std::max(width, row.schedule.size());
  table.front().front().resize(width, ' ');
  std::string refused;
  for (const Row& row : rows)
    if (!row.run)
      refused += fmt::format("{:<{}}  cannot run: {}\n", row.schedule, width, row.reason);
  Report report;
  report.heading("Schedules compared");
  if (!candidates.empty()) report.table(std::move(table));
  report.items(std::move(refused)).lines(steady_note(candidates)).lines(median_note(candidates));
  if (!candidates.empty()) report.lines('\n' + recommendation(candidates) + '\n');
  return report;
}

}  // namespace pipewright
