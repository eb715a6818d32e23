#include "report/text/summary_extras.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/text/numbers.hpp"
#include "report/text/summary_line.hpp"

namespace pipewright {
namespace {

/// Returns the time to train with what it costs, and whether it is done in time.
std::string time_to_train(const RunResult& result) {
  const double seconds = *result.training.time_s;
  constexpr double day = 86'400;
  std::string text = fmt::format("{:.3g} days", seconds / day);
  if (result.training.cost_usd)
    text += fmt::format(", {} USD", human_number(std::round(*result.training.cost_usd)));
  if (result.training.deadline_s) {
    text += fmt::format(", {} the deadline of {:.3g} days",
                        seconds <= *result.training.deadline_s ? "within" : "BEYOND",
                        *result.training.deadline_s / day);
  }
  return text;
}

std::string uncertainty(const Uncertainty& u) {
  return summary_line(
      "uncertainty", fmt::format("{} to {} (p10 to p90), {} beyond what was measured", human(u.p10),
                                 human(u.p90), counted(u.extrapolated_ops, "op")));
}

std::string variation(const Quantiles& q) {
  return summary_line(
      "variation",
      fmt::format("{} to {} (p10 to p90), median {}, 95th percentile {}, by {}", human(q.p10),
                  human(q.p90), human(q.p50), human(q.p95), counted(q.seeds, "run")));
}

std::string goodput(const Goodput& g) {
  return summary_line("goodput", fmt::format("{} of the time; checkpoints would be best every {}",
                                             percent(g.fraction), human_time(g.best_interval_s)));
}

std::string busiest_links(const std::vector<LinkUse>& links) {
  std::string text;
  for (size_t k = 0; k < std::min<size_t>(links.size(), 3); ++k) {
    const LinkUse& link = links[k];
    text += summary_line(k == 0 ? "busiest links" : "",
                         fmt::format("{} {} busy, {}", link.name, percent(link.busy_fraction),
                                     human_bytes(link.bytes)));
  }
  return text;
}

}  // namespace

std::string extra_lines(const RunResult& result) {
  std::string text;
  if (result.ranges.uncertainty) text += uncertainty(*result.ranges.uncertainty);
  if (result.ranges.variation) text += variation(*result.ranges.variation);
  if (result.goodput) text += goodput(*result.goodput);
  for (const auto& [what, from] : result.provenance)
    text += summary_line(what.c_str(), "by " + from);
  for (const std::string& note : result.notes) text += summary_line("note", note);
  if (result.training.time_s) text += summary_line("time to train", time_to_train(result));
  if (result.expenses.energy_j)
    text += summary_line("energy", human_rate(*result.expenses.energy_j, "J") + " an iteration");
  if (result.expenses.cost_usd)
    text += summary_line("cost", fmt::format("{:.4g} USD an iteration", *result.expenses.cost_usd));
  return text + busiest_links(result.links);
}

}  // namespace pipewright
