#include "report/text/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "base/text.hpp"
#include "report/csv/result.hpp"
#include "report/page/page.hpp"
#include "report/text/table.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

constexpr size_t most_reasons = 8, best_shown = 3;
constexpr std::string_view by_token = "_per_token";

using Json = nlohmann::ordered_json;

size_t index_of(std::string_view objective) {
  const auto& names = objective_names();
  return static_cast<size_t>(std::find(names.begin(), names.end(), objective) - names.begin());
}

/// A run that gave a result, without the bulk of it.
struct Candidate {
  std::vector<std::string> settings;
  std::string schedule;
  std::vector<std::optional<double>> objectives;  ///< of the study, in its order
  bool feasible = false, front = false;
  size_t run = 0;  ///< its place among all of the sweep

  /// Less is better; a value that is not there is the worst.
  double rank_value(size_t i, std::string_view objective) const {
    if (!objectives[i]) return std::numeric_limits<double>::infinity();
    return is_gain(objective) ? -*objectives[i] : *objectives[i];
  }
};

/// Why runs gave no result: one of them, and how many do so alike.
struct Reason {
  std::string example;
  int count = 0;
  bool same = true;  ///< they all say just that
};

struct Found {
  std::vector<Candidate> candidates;
  std::map<std::string, Reason> reasons;  ///< by what they say but for their numbers
  size_t refused = 0, runs = 0;
};

std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

void note(const std::string& text, std::map<std::string, Reason>& reasons) {
  Reason& reason = reasons[without_numbers(text)];
  if (reason.count++ == 0) reason.example = text;
  reason.same = reason.same && reason.example == text;
}

Found collect(const SweepView& view) {
  Found found;
  view.for_each([&](const SweepRun& run) {
    const size_t place = found.runs++;
    if (!run.ran()) {
      note(run.reason, found.reasons);
      ++found.refused;
      return;
    }
    Candidate candidate{run.settings, run.schedule, {}, run.feasible, false, place};
    for (const std::string& objective : view.objective)
      candidate.objectives.push_back(run.objectives[index_of(objective)]);
    found.candidates.push_back(std::move(candidate));
  });
  return found;
}

/// Those that fit first, then by the first objective, the second, ..., else as they come.
void rank(const SweepView& view, std::vector<Candidate>& candidates) {
  const auto key = [&](const Candidate& c) {
    std::vector<double> key{c.feasible ? 0.0 : 1.0};
    for (size_t i = 0; i < view.objective.size(); ++i)
      key.push_back(c.rank_value(i, view.objective[i]));
    return key;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
}

void mark_front(const SweepView& view, std::vector<Candidate>& candidates) {
  std::vector<std::vector<double>> values;
  std::vector<Candidate*> fitting;
  for (Candidate& candidate : candidates) {
    if (!candidate.feasible) continue;
    fitting.push_back(&candidate);
    std::vector<double>& row = values.emplace_back();
    for (size_t i = 0; i < view.objective.size(); ++i)
      row.push_back(candidate.rank_value(i, view.objective[i]));
  }
  const std::vector<bool> front = pareto_front(values);
  for (size_t i = 0; i < fitting.size(); ++i) fitting[i]->front = front[i];
}

std::string human_value(std::string_view objective, const std::optional<double>& value) {
  if (!value) return "-";
  if (objective.ends_with("_per_s_per_device")) return human_rate(*value, "FLOP/s");
  if (objective.ends_with("_per_s")) return human_number(*value);
  if (objective.ends_with("_s")) return human_time(*value);
  if (objective.ends_with("_bytes")) return human_bytes(*value);
  if (objective == "mfu" || objective == "hfu" || objective == "bubble_fraction")
    return percent(*value);
  return human_number(*value);
}

/// "iteration_time_s" as people say it: the unit stands beside the number.
std::string label(std::string objective) {
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

std::string table(const SweepView& view, const std::vector<Candidate>& candidates,
                  size_t most_rows) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0] = short_names(view.paths);
  for (const std::string& objective : view.objective) rows[0].push_back(label(objective));
  rows[0].insert(rows[0].end(), {"fits", "front"});
  for (size_t i = 0; i < std::min(most_rows, candidates.size()); ++i) {
    const Candidate& c = candidates[i];
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string& setting : c.settings) row.push_back(setting.empty() ? "-" : setting);
    for (size_t k = 0; k < view.objective.size(); ++k)
      row.push_back(human_value(view.objective[k], c.objectives[k]));
    row.insert(row.end(), {c.feasible ? "yes" : "NO", c.front ? "*" : ""});
  }
  return aligned(rows);
}

std::string named(const SweepView& view, const Candidate& c) {
  const std::vector<std::string> names = short_names(view.paths);
  std::vector<std::string> parts;
  for (size_t i = 0; i < names.size(); ++i)
    if (!c.settings[i].empty()) parts.push_back(names[i] + " " + c.settings[i]);
  if (parts.empty()) return c.schedule;
  return join(std::vector<std::string_view>(parts.begin(), parts.end()));
}

/// "8.0 % more iteration time, 20.0 % less peak memory" than the best.
std::string against(const SweepView& view, const Candidate& c, const Candidate& best) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < view.objective.size(); ++i) {
    if (!c.objectives[i] || !best.objectives[i] || *best.objectives[i] == 0) continue;
    const double ratio = *c.objectives[i] / *best.objectives[i];
    if (std::abs(ratio - 1) < 5e-4) continue;
    parts.push_back(fmt::format("{} {} {}", percent(std::abs(ratio - 1)),
                                ratio > 1 ? "more" : "less", label(view.objective[i])));
  }
  if (parts.empty()) return "the same in all objectives";
  return join(std::vector<std::string_view>(parts.begin(), parts.end()));
}

std::string best_ones(const SweepView& view, const std::vector<Candidate>& candidates) {
  if (candidates.empty() || !candidates.front().feasible)
    return candidates.empty() ? "" : "\nNothing fits the devices' memory.\n";
  const Candidate& best = candidates.front();
  std::string text =
      fmt::format("\nTake {}: {} of {}, the best that fits.\n", named(view, best),
                  label(view.objective[0]), human_value(view.objective[0], best.objectives[0]));
  for (size_t i = 1; i < std::min(best_shown, candidates.size()) && candidates[i].feasible; ++i)
    text += fmt::format("Next {}: {}.\n", named(view, candidates[i]),
                        against(view, candidates[i], best));
  return text;
}

std::string refusals(const Found& found) {
  if (found.refused == 0) return "";
  std::vector<std::pair<int, std::string>> reasons;
  for (const auto& [shape, reason] : found.reasons) {
    const char* others = reason.same ? "" : "; others likewise";
    reasons.emplace_back(-reason.count, reason.example + others);
  }
  std::sort(reasons.begin(), reasons.end());
  std::string text = fmt::format("\n{} cannot be or were not run:\n",
                                 counted(static_cast<int64_t>(found.refused), "combination"));
  for (size_t i = 0; i < std::min(most_reasons, reasons.size()); ++i)
    text += fmt::format("  {:>4}  {}\n", -reasons[i].first, reasons[i].second);
  if (reasons.size() > most_reasons)
    text += fmt::format("  and {} more reasons, all in --csv\n", reasons.size() - most_reasons);
  return text;
}

/// What the table says of every run by its rank and its star, for the page.
std::string judgement(const SweepView& view) {
  Found found = collect(view);
  rank(view, found.candidates);
  mark_front(view, found.candidates);
  Json j = {{"objectives", Json::array()}, {"best_first", Json::array()}};
  for (const std::string& objective : view.objective)
    j["objectives"].push_back({{"name", objective}, {"gain", is_gain(objective)}});
  std::vector<bool> front(found.runs);
  for (const Candidate& candidate : found.candidates) {
    j["best_first"].push_back(candidate.run);
    front[candidate.run] = candidate.front;
  }
  j["front"] = front;
  return j.dump();
}

}  // namespace

// Sorted by the first objective, a run can only be beaten by one before it or equal to it.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<bool> front(values.size());
  std::vector<size_t> kept;
  for (const size_t candidate : order) {
    const auto beats = [&](size_t other) {
      bool better = false;
      for (size_t i = 0; i < values[candidate].size(); ++i) {
        if (values[other][i] > values[candidate][i]) return false;
        better |= values[other][i] < values[candidate][i];
      }
      return better;
    };
    if (std::any_of(kept.begin(), kept.end(), beats)) continue;
    front[candidate] = true;
    kept.push_back(candidate);
  }
  return front;
}

std::string sweep_advice(const SweepView& view) {
  Found found = collect(view);
  rank(view, found.candidates);
  const std::string text = best_ones(view, found.candidates);
  return text.empty() ? text : text.substr(1);
}

std::string sweep_summary(const SweepView& view, size_t most_rows) {
  Found found = collect(view);
  rank(view, found.candidates);
  mark_front(view, found.candidates);
  std::string text = found.candidates.empty() ? "" : table(view, found.candidates, most_rows);
  if (found.candidates.size() > most_rows)
    text += fmt::format("and {} more, all in --csv\n", found.candidates.size() - most_rows);
  return text + refusals(found) + best_ones(view, found.candidates);
}

// A schedule that is varied is the results' own first column.
void write_sweep_csv(const SweepView& view, std::ostream& out) {
  const auto settings = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i)
      if (view.paths[i] != "schedule") out << csv_field(row[i]) << ',';
  };
  settings(view.paths);
  out << csv_header() << '\n';
  view.for_each([&](const SweepRun& run) {
    settings(run.settings);
    out << run.csv << '\n';
  });
}

void write_sweep_json(const SweepView& view, std::ostream& out) {
  out << "{\n\"schema\": \"pipewright.results/1\",\n\"results\": [";
  const char* separator = "\n";
  view.for_each([&](const SweepRun& run) {
    Json object;
    object["settings"] = Json::object();
    for (size_t i = 0; i < view.paths.size(); ++i)
      if (!run.settings[i].empty()) object["settings"][view.paths[i]] = run.settings[i];
    object["schedule"] = run.schedule;
    if (run.ran())
      object.update(Json::parse(run.json));
    else
      object["reason"] = run.reason;
    out << separator << object.dump();
    separator = ",\n";
  });
  out << "\n]\n}\n";
}

void write_sweep_html(const SweepView& view, std::ostream& out) {
  std::ostringstream results;
  write_sweep_json(view, results);
  write_page({.kind = "sweep",
              .title = "Sweep",
              .advice = sweep_advice(view),
              .results = std::move(results).str(),
              .judgement = judgement(view)},
             out);
}

}  // namespace pipewright
