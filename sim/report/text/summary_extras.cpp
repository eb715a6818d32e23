#include "report/text/summary_extras.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/required.hpp"
#include "base/text.hpp"
#include "config/value.hpp"
#include "program/names.hpp"
#include "report/text/numbers.hpp"
#include "report/text/summary_line.hpp"
#include "result/like_runs.hpp"
#include "result/link_tier.hpp"
#include "result/typical_time.hpp"

namespace pipewright {
namespace {

/// Returns the time to train with what it costs, and whether it is done in time: by the median
/// draw where something is drawn.
std::string time_to_train(const RunResult& result) {
  const double unvaried = required(result.training.time_s, "there is a time to train");
  const double seconds = required(typical_time_to_train_s(result), "there is a time to train");
  std::string text = fmt::format("{} days", human_days(unvaried));
  if (result.training.cost_usd)
    text += fmt::format(", {} USD", human_number(std::round(*result.training.cost_usd)));
  if (result.ranges.variation)
    text += fmt::format("; {} days by the median draw", human_days(seconds));
  if (result.training.deadline_s) {
    text += fmt::format(", {} the deadline of {} days",
                        seconds <= *result.training.deadline_s ? "within" : "BEYOND",
                        human_days(*result.training.deadline_s));
  }
  return text;
}

std::string uncertainty(const Uncertainty& u) {
  const std::string beyond =
      u.extrapolated_ops == 0
          ? ""
          : fmt::format(", {} beyond what was measured", counted(u.extrapolated_ops, "op"));
  return summary_line("uncertainty",
                      fmt::format("{} to {} (p10 to p90){}", human(u.p10), human(u.p90), beyond));
}

/// Returns how far off such predictions were, where there are such.
std::string such_runs(const Uncertainty& u) {
  const std::string text = like_runs(u.regime).text();
  return text.empty() ? text : summary_line("such runs", text);
}

std::string variation(const Quantiles& q) {
  return summary_line(
      "variation",
      fmt::format("{} to {} (p10 to p90), median {}, 95th percentile {}, by {}", human(q.p10),
                  human(q.p90), human(q.p50), human(q.p95), counted(q.seeds, "run")));
}

/// Returns how long a checkpoint stops the run, in seconds; 0 where the experiment does not say.
double checkpoint_time_s(const config::Value& experiment) {
  const config::Value* failures = experiment.find("failures");
  const config::Value* time = failures ? failures->find("checkpoint_time") : nullptr;
  return time ? config::as_seconds(*time) : 0;
}

/// Returns when checkpoints would be best. Where failures leave less time than a checkpoint takes,
/// no interval is a good one.
std::string best_interval(const Goodput& g, double checkpoint_s) {
  if (g.fraction <= 0) return ": no work is kept, so an iteration has neither energy nor cost";
  std::string text =
      fmt::format("; checkpoints would be best every {}", human_time(g.best_interval_s));
  if (g.best_interval_s < checkpoint_s)
    text += fmt::format(", sooner than one is written ({}): failures leave no more",
                        human_time(checkpoint_s));
  return text;
}

std::string goodput_of_events(const GoodputEvents& e) {
  return fmt::format(
      "{} of the time ({} to {}), by {} of {:.3g} failures each; checkpoints take {}, work done "
      "again {}, restarts {}, waiting for repairs {}, missing nodes {}",
      percent(e.fraction), percent(e.p10), percent(e.p90), counted(e.seeds, "draw"), e.failures,
      percent(e.checkpoints), percent(e.lost), percent(e.restarts), percent(e.waiting),
      percent(e.missing));
}

std::string goodput(const Goodput& g, const config::Value& experiment) {
  const std::string formula = fmt::format("{} of the time{}", percent(g.fraction),
                                          best_interval(g, checkpoint_time_s(experiment)));
  if (!g.events) return summary_line("goodput", formula);
  return summary_line("goodput", goodput_of_events(*g.events)) +
         summary_line("by formula", formula);
}

std::string outer_steps(const OuterResult& outer) {
  const std::string where = fmt::format("{} in {} on {}", counted(outer.every, "iteration"),
                                        human(outer.inner), counted(outer.sites, "site"));
  return summary_line(
      "outer steps",
      fmt::format("after {} each, {} of exchange, {} of it exposed, {} of compute", where,
                  human(outer.exchange), human(outer.exposed), human(outer.compute)));
}

}  // namespace

std::string range_lines(const Ranges& ranges) {
  std::string text;
  if (ranges.uncertainty) text += uncertainty(*ranges.uncertainty) + such_runs(*ranges.uncertainty);
  if (ranges.variation) text += variation(*ranges.variation);
  return text;
}

std::string expense_lines(const RunResult& result) {
  std::string text;
  if (result.outer) text += outer_steps(*result.outer);
  const config::Value& experiment = result.experiment.value();
  if (result.goodput) text += goodput(*result.goodput, experiment);
  if (result.training.time_s)
    text += summary_line("time to train", time_to_train(result));
  else if (result.goodput && experiment.find("training"))
    text += summary_line("time to train", "never: no work is kept");
  if (result.expenses.energy_j)
    text += summary_line("energy", human_rate(*result.expenses.energy_j, "J") + " an iteration");
  if (result.expenses.cost_usd)
    text += summary_line("cost", fmt::format("{:.4g} USD an iteration", *result.expenses.cost_usd));
  return text;
}

std::string gain_lines(const IfFree& gain, Time iteration) {
  std::vector<std::pair<Time, std::string>> gains = {{gain.host, "waiting for the host"},
                                                     {gain.bubble, "bubble"}};
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    gains.push_back({gain.traffic[kind],
                     fmt::format("{} communication", to_string(static_cast<Traffic>(kind)))});
  std::ranges::stable_sort(gains, std::greater{}, &std::pair<Time, std::string>::first);
  std::string text;
  for (size_t k = 0; k < 3; ++k) {
    const double share = in_seconds(gains[k].first) / in_seconds(iteration);
    if (share < 0.0005) break;
    text += summary_line(
        k == 0 ? "would help" : "",
        fmt::format("no {}: {} less, {}", gains[k].second, percent(share), human(gains[k].first)));
  }
  return text;
}

std::string remedy_lines(const RunResult& result) {
  const double now = in_seconds(result.metrics.iteration);
  std::string text;
  for (const Remedy& remedy : result.fit.remedies) {
    const double change = in_seconds(remedy.iteration) / now - 1;
    text +=
        summary_line(text.empty() ? "would fit with" : "",
                     fmt::format("{}: {}, {}{}", fmt::join(remedy.changes, ", "),
                                 human(remedy.fullest), change < 0 ? "" : "+", percent(change)));
  }
  if (!result.fit.no_remedy.empty()) text += summary_line("would fit with", result.fit.no_remedy);
  return text;
}

namespace {

/// Tells whether some link carries more than it can, as only a network does that shares none.
bool are_overfull(const RunResult& result) {
  constexpr double rounded_to_whole = 1.0005;
  const config::Value* network = result.experiment.value().find("network");
  return network && network->text == "alpha-beta" &&
         std::ranges::any_of(result.links, [](const LinkUse& link) {
           return link.busy_fraction > rounded_to_whole;
         });
}

}  // namespace

std::string link_lines(const RunResult& result) {
  constexpr size_t most = 4;
  std::vector<std::string> tiers;
  std::string text;
  for (const LinkUse& link : result.links) {
    const std::string tier = tier_of(link.name);
    if (tiers.size() == most) break;
    if (std::ranges::find(tiers, tier) != tiers.end()) continue;
    text += summary_line(tiers.empty() ? "busiest links" : "",
                         fmt::format("{} {} busy, {}", link.name, percent(link.busy_fraction),
                                     human_bytes(link.bytes)));
    tiers.push_back(tier);
  }
  if (are_overfull(result))
    text += summary_line("", "over 100 %: alpha-beta shares no links, 'network: flow' does");
  return text;
}

std::string provenance_lines(const RunResult& result) {
  std::string text;
  for (const auto& [what, from] : result.provenance)
    text += summary_line(what.c_str(), "by " + from);
  for (const std::string& note : result.notes) text += summary_line("note", note);
  return text;
}

}  // namespace pipewright
