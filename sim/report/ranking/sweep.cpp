#include "report/ranking/sweep.hpp"

#include <algorithm>
#include <limits>

#include "report/ranking/pareto_front.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

size_t index_of(std::string_view objective) {
  const auto& names = objective_names();
  return static_cast<size_t>(std::find(names.begin(), names.end(), objective) - names.begin());
}

/// Less is better; a value that is not there is the worst.
double rank_value(const SweepCandidate& candidate, size_t i, std::string_view objective) {
  const std::optional<double>& value = candidate.objectives[i];
  if (!value) return std::numeric_limits<double>::infinity();
  return is_gain(objective) ? -*value : *value;
}

std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

void note(const std::string& text, std::map<std::string, SweepRefusal>& reasons) {
  SweepRefusal& reason = reasons[without_numbers(text)];
  if (reason.count++ == 0) reason.example = text;
  reason.same = reason.same && reason.example == text;
}

SweepRanking collect(const SweepView& view) {
  SweepRanking found;
  view.for_each([&](const SweepRun& run) {
    const size_t place = found.runs++;
    if (!run.ran()) {
      note(run.reason, found.reasons);
      ++found.refused;
      return;
    }
    SweepCandidate candidate{.settings = run.settings,
                             .schedule = run.schedule,
                             .objectives = {},
                             .devices = value_of(run, "devices"),
                             .idle_devices = value_of(run, "idle_devices"),
                             .samples_per_s_per_device = value_of(run, "samples_per_s_per_device"),
                             .data = value_of(run, "data"),
                             .peak_memory_bytes = value_of(run, "peak_memory_bytes"),
                             .feasible = run.feasible,
                             .run = place};
    for (const std::string& objective : view.objective)
      candidate.objectives.push_back(value_of(run, objective));
    found.candidates.push_back(std::move(candidate));
  });
  return found;
}

/// Sorts candidates: those that fit first, then by the first objective, the second, ..., else as
/// they come.
void rank(const SweepView& view, std::vector<SweepCandidate>& candidates) {
  const auto key = [&](const SweepCandidate& c) {
    std::vector<double> key{c.feasible ? 0.0 : 1.0};
    for (size_t i = 0; i < view.objective.size(); ++i)
      key.push_back(rank_value(c, i, view.objective[i]));
    return key;
  };
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [&](const SweepCandidate& a, const SweepCandidate& b) { return key(a) < key(b); });
}

void mark_front(const SweepView& view, std::vector<SweepCandidate>& candidates) {
  std::vector<std::vector<double>> values;
  std::vector<SweepCandidate*> fitting;
  for (SweepCandidate& candidate : candidates) {
    if (!candidate.feasible) continue;
    fitting.push_back(&candidate);
    std::vector<double>& row = values.emplace_back();
    for (size_t i = 0; i < view.objective.size(); ++i)
      row.push_back(rank_value(candidate, i, view.objective[i]));
  }
  const std::vector<bool> front = pareto_front(values);
  for (size_t i = 0; i < fitting.size(); ++i) fitting[i]->front = front[i];
}

}  // namespace

std::optional<double> value_of(const SweepRun& run, std::string_view objective) {
  if (run.objectives.empty()) return std::nullopt;
  const size_t index = index_of(objective);
  return index < run.objectives.size() ? run.objectives[index] : std::nullopt;
}

SweepRanking ranked(const SweepView& view) {
  SweepRanking found = collect(view);
  rank(view, found.candidates);
  mark_front(view, found.candidates);
  return found;
}

}  // namespace pipewright
