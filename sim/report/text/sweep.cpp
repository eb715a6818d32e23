#include "report/text/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "report/ranking/idle_keys.hpp"
#include "report/ranking/shared_errors.hpp"
#include "report/text/numbers.hpp"
#include "report/text/shared_rank.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

constexpr size_t most_reasons = 8, best_shown = 3;
constexpr std::string_view by_token = "_per_token";

std::string human_value(std::string_view objective, const std::optional<double>& value) {
  if (!value) return "-";
  if (objective == "samples_per_s_per_device") return fmt::format("{:.4g}", *value);
  if (objective.ends_with("_per_s_per_device")) return human_rate(*value, "FLOP/s");
  if (objective.ends_with("_per_s")) return human_number(*value);
  if (objective.ends_with("_s")) return human_time(*value);
  if (objective.ends_with("_bytes")) return human_bytes(*value);
  const std::string_view whole = objective.substr(0, objective.find(by_token));
  if (whole.ends_with("_j")) return human_rate(*value, "J");
  if (whole.ends_with("_usd")) return "$ " + human_number(*value);
  if (objective == "mfu" || objective == "hfu" || objective.ends_with("_fraction"))
    return percent(*value);
  return human_number(*value);
}

/// "iteration_time_s" as people say it: the unit stands beside the number.
std::string label(std::string objective) {
  if (objective == "cost_usd") return "iteration cost";
  if (objective == "time_to_train_cost_usd") return "training cost";
  const bool of_token = objective.ends_with(by_token);
  if (of_token) objective.resize(objective.size() - by_token.size());
  for (const std::string_view unit : {"_s", "_bytes", "_j", "_usd"}) {
    if (!objective.ends_with(unit) || objective.ends_with("per_s")) continue;
    objective.resize(objective.size() - unit.size());
    break;
  }
  if (of_token) objective += by_token;
  std::replace(objective.begin(), objective.end(), '_', ' ');
  return objective;
}

/// "parallel.tensor": "tensor", unless two paths end alike.
std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  const auto last = [](const std::string& path) { return path.substr(path.rfind('.') + 1); };
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const auto alike = std::count_if(paths.begin(), paths.end(), [&](const std::string& other) {
      return last(other) == last(path);
    });
    names.push_back(alike > 1 ? path : last(path));
  }
  return names;
}

/// Tells whether a reader has to know how many devices runs use: not all as many, or not all that
/// there are.
bool devices_matter(const std::vector<SweepCandidate>& candidates) {
  return std::ranges::any_of(candidates, [&](const SweepCandidate& c) {
    return c.devices != candidates.front().devices || c.idle_devices.value_or(0) > 0;
  });
}

/// "192", "192 of 200" where the others are idle.
std::string devices_text(const SweepCandidate& c) {
  if (!c.devices) return "-";
  const double idle = c.idle_devices.value_or(0);
  if (idle == 0) return fmt::format("{:.0f}", *c.devices);
  return fmt::format("{:.0f} of {:.0f}", *c.devices, *c.devices + idle);
}

/// Tells whether the degree of data parallelism follows from what is varied.
bool derives_data(const SweepView& view, const std::vector<SweepCandidate>& candidates) {
  return std::ranges::find(view.paths, "parallel.data") == view.paths.end() &&
         std::ranges::any_of(candidates, [&](const SweepCandidate& c) {
           return c.data != candidates.front().data;
         });
}

std::string fits(const SweepCandidate& c) {
  if (!c.feasible) return "NO";
  return c.peak_memory_bytes == 0.0 ? "-" : "yes";
}

TableRows table_of(const SweepView& view, const std::vector<SweepCandidate>& candidates,
                   size_t most_rows) {
  TableRows rows(1);
  rows[0] = short_names(view.paths);
  for (const std::string& objective : view.objective) rows[0].push_back(label(objective));
  const bool derives = derives_data(view, candidates);
  if (derives) rows[0].insert(rows[0].begin() + static_cast<long>(view.paths.size()), "data");
  const bool counts = devices_matter(candidates);
  if (counts) rows[0].insert(rows[0].end(), {"devices", "samples/s per device"});
  rows[0].insert(rows[0].end(), {"fits", "front"});
  for (size_t i = 0; i < std::min(most_rows, candidates.size()); ++i) {
    const SweepCandidate& c = candidates[i];
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string& setting : c.settings) row.push_back(setting.empty() ? "-" : setting);
    if (derives) row.push_back(human_value("data", c.data));
    for (size_t k = 0; k < view.objective.size(); ++k)
      row.push_back(human_value(view.objective[k], c.objectives[k]));
    if (counts)
      row.insert(row.end(), {devices_text(c),
                             human_value("samples_per_s_per_device", c.samples_per_s_per_device)});
    row.insert(row.end(), {fits(c), c.front ? "*" : ""});
  }
  return rows;
}

/// `simulating` tells of each key whether it is of the simulation, which is no name of a job.
std::string named(const SweepView& view, const SweepCandidate& c,
                  const std::vector<bool>& simulating) {
  const std::vector<std::string> names = short_names(view.paths);
  std::vector<std::string> parts;
  for (size_t i = 0; i < names.size(); ++i)
    if (!c.settings[i].empty() && !simulating[i]) parts.push_back(names[i] + " " + c.settings[i]);
  if (parts.empty()) return c.schedule;
  return join(std::vector<std::string_view>(parts.begin(), parts.end()));
}

/// "8.0 % more iteration time, 20.0 % less peak memory" than the best.
std::string against(const SweepView& view, const SweepCandidate& c, const SweepCandidate& best) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < view.objective.size(); ++i) {
    const std::optional<double>&own = c.objectives[i], &least = best.objectives[i];
    if (!own || !least || *least == 0) continue;
    const double ratio = *own / *least;
    if (std::abs(ratio - 1) < 5e-4) continue;
    parts.push_back(fmt::format("{} {} {}", percent(std::abs(ratio - 1)),
                                ratio > 1 ? "more" : "less", label(view.objective[i])));
  }
  if (parts.empty()) return "the same in all objectives";
  return join(std::vector<std::string_view>(parts.begin(), parts.end()));
}

/// What runs that differ in such a key alone are off by, they share.
std::vector<bool> sharing_errors(const SweepView& view, std::vector<bool> simulating) {
  for (size_t i = 0; i < view.paths.size(); ++i)
    if (only_adds_work(view.paths[i])) simulating[i] = true;
  return simulating;
}

/// Who may be as fast as the best, where runs are ranked by their time.
std::string alike(const SweepView& view, const std::vector<SweepCandidate>& candidates,
                  const std::vector<bool>& simulating) {
  const std::vector<bool> sharing = sharing_errors(view, simulating);
  const auto timed = [&](const SweepCandidate& c) {
    return TimedName{named(view, c, simulating), c.objectives[0].value_or(0)};
  };
  if (view.objective[0] != "iteration_time_s" || !candidates.front().objectives[0]) return {};
  std::vector<TimedName> others;
  for (const SweepCandidate& c : candidates)
    if (c.feasible && c.objectives != candidates.front().objectives &&
        !same_but_for(sharing, c, candidates.front()))
      others.push_back(timed(c));
  const std::string text = shared_rank_text(timed(candidates.front()), others, own_deviation());
  return text.empty() ? text : text + '\n';
}

/// Returns the best that fit, each of another job: no two of them are one job simulated otherwise.
/// What another beats in every one of several objectives is not among them.
std::vector<const SweepCandidate*> best_jobs(const SweepView& view,
                                             const std::vector<SweepCandidate>& candidates,
                                             const std::vector<bool>& simulating) {
  std::vector<const SweepCandidate*> best;
  for (const SweepCandidate& c : candidates) {
    if (!c.feasible || best.size() == best_shown) break;
    if (!best.empty() && view.objective.size() > 1 && !c.front) continue;
    if (std::ranges::none_of(
            best, [&](const SweepCandidate* known) { return same_but_for(simulating, *known, c); }))
      best.push_back(&c);
  }
  return best;
}

/// A way to simulate is nothing to take.
std::string of_simulation(const SweepView& view, const std::vector<bool>& simulating) {
  const std::vector<std::string> names = short_names(view.paths);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    if (simulating[i])
      text += fmt::format(
          "{} says how the job is simulated, not how it runs: its values are nothing to take.\n",
          names[i]);
  return text;
}

/// An objective that no run has judges nothing.
std::string without_value(const SweepView& view, const std::vector<SweepCandidate>& candidates) {
  std::string text;
  for (size_t k = 0; k < view.objective.size(); ++k) {
    const std::string& name = view.objective[k];
    if (std::ranges::any_of(candidates,
                            [&](const SweepCandidate& c) { return c.objectives[k].has_value(); }))
      continue;
    const bool of_draws = name == "p10_s" || name == "p50_s" || name == "p90_s";
    text += fmt::format("{} has no value in these runs{}.\n", name,
                        of_draws ? ": they draw nothing, as 'variation: {seeds: 20}' would have "
                                   "them do. The prediction's own range is 'uncertainty' in --json"
                                 : "");
  }
  return text;
}

std::string best_ones(const SweepView& view, const std::vector<SweepCandidate>& candidates) {
  if (candidates.empty() || !candidates.front().feasible)
    return candidates.empty() ? "" : "\nNothing fits the devices' memory.\n";
  std::string text = "\n";
  const std::vector<bool> simulating = keys_of_simulation(view, candidates);
  const bool has_jobs =
      view.paths.empty() || std::ranges::find(simulating, false) != simulating.end();
  if (has_jobs && candidates.front().objectives[0]) {
    const std::vector<const SweepCandidate*> best = best_jobs(view, candidates, simulating);
    text += fmt::format("Take {}: {} of {}, the best{}.\n", named(view, *best[0], simulating),
                        label(view.objective[0]),
                        human_value(view.objective[0], best[0]->objectives[0]),
                        fits(*best[0]) == "yes" ? " that fits" : "");
    for (size_t i = 1; i < best.size(); ++i)
      text += fmt::format("Next {}: {}.\n", named(view, *best[i], simulating),
                          against(view, *best[i], *best[0]));
    text += alike(view, candidates, simulating);
  }
  text += of_simulation(view, simulating) + without_value(view, candidates);
  return text.size() > 1 ? text : "";
}

/// Runs on unlike numbers of devices are not compared by their times alone.
std::string per_device(const SweepView& view, const std::vector<SweepCandidate>& candidates) {
  if (candidates.empty() || !devices_matter(candidates)) return {};
  const SweepCandidate* most = nullptr;
  double least_devices = std::numeric_limits<double>::infinity(), most_devices = 0;
  for (const SweepCandidate& c : candidates) {
    if (!c.feasible || !c.devices || !c.samples_per_s_per_device) continue;
    least_devices = std::min(least_devices, *c.devices);
    most_devices = std::max(most_devices, *c.devices);
    if (!most || c.samples_per_s_per_device > most->samples_per_s_per_device) most = &c;
  }
  if (!most || least_devices == most_devices) return {};
  return fmt::format("The runs use {:.0f} to {:.0f} devices; each does most under {}.\n",
                     least_devices, most_devices,
                     named(view, *most, keys_of_simulation(view, candidates)));
}

/// A key whose rows are alike may be one that has no say in these runs.
std::string without_effect(const SweepView& view, const std::vector<SweepCandidate>& candidates) {
  std::string text;
  const std::vector<std::string> names = short_names(view.paths);
  for (const size_t key : idle_keys(candidates)) {
    const bool fabric = view.paths[key].ends_with("oversubscription");
    text += fmt::format("{} changes none of the objectives{}.\n", names[key],
                        fabric ? "; 'pipewright simulate' says why for one of the runs" : "");
  }
  return text;
}

Report refusals(const SweepRanking& found) {
  if (found.refused == 0) return {};
  std::vector<std::pair<int, std::string>> reasons;
  for (const auto& [shape, reason] : found.reasons) {
    const char* others = reason.same ? "" : "; others likewise";
    reasons.emplace_back(-reason.count, reason.example + others);
  }
  std::sort(reasons.begin(), reasons.end());
  std::string text;
  for (size_t i = 0; i < std::min(most_reasons, reasons.size()); ++i)
    text += fmt::format("  {:>4}  {}\n", -reasons[i].first, reasons[i].second);
  if (reasons.size() > most_reasons)
    text += fmt::format("  and {} more reasons, all in --csv\n", reasons.size() - most_reasons);
  return Report()
      .lines(fmt::format("\n{} cannot be or were not run:\n",
                         counted(static_cast<int64_t>(found.refused), "combination")))
      .items(std::move(text));
}

}  // namespace

std::string sweep_advice(const SweepView& view, const SweepRanking& ranking) {
  const std::string text = best_ones(view, ranking.candidates);
  return text.empty() ? text : text.substr(1);
}

Report sweep_report(const SweepView& view, size_t most_rows) {
  const SweepRanking found = ranked(view);
  Report report;
  report.heading("A sweep");
  if (!found.candidates.empty()) report.table(table_of(view, found.candidates, most_rows));
  if (found.candidates.size() > most_rows)
    report.lines(fmt::format("and {} more, all in --csv\n", found.candidates.size() - most_rows));
  return report.add(refusals(found))
      .lines(best_ones(view, found.candidates) + per_device(view, found.candidates) +
             without_effect(view, found.candidates));
}

}  // namespace pipewright
