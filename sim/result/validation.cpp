#include "result/validation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "result/reliability.hpp"

namespace pipewright {
namespace {

constexpr int least_sweep = 5;  // runs that make an order worth a correlation
constexpr double near_best = 0.02;

std::optional<double> relative(const std::optional<double>& predicted,
                               const std::optional<double>& measured) {
  if (!predicted || !measured || *measured == 0) return std::nullopt;
  return *predicted / *measured - 1;
}

/// A quantity that is smaller for a faster run.
std::optional<double> slowness(const Outcome& outcome) {
  if (outcome.iteration_time_s) return outcome.iteration_time_s;
  if (outcome.samples_per_s && *outcome.samples_per_s > 0) return 1 / *outcome.samples_per_s;
  return std::nullopt;
}

/// Slowness of the runs that were measured and predicted, in the same quantity.
struct Pairs {
  std::vector<double> predicted, measured;
};

Pairs pairs_of(const std::vector<const ValidationRun*>& runs) {
  Pairs pairs;
  for (const ValidationRun* run : runs) {
    const std::optional<double> measured = slowness(run->measured);
    if (!measured || !run->predicted) continue;
    Outcome same = *run->predicted;
    if (!run->measured.iteration_time_s) same.iteration_time_s.reset();
    const std::optional<double> predicted = slowness(same);
    if (!predicted) continue;
    pairs.predicted.push_back(*predicted);
    pairs.measured.push_back(*measured);
  }
  return pairs;
}

std::optional<double> regret_of(const Pairs& pairs) {
  if (pairs.measured.size() < 2) return std::nullopt;
  const auto pick = std::min_element(pairs.predicted.begin(), pairs.predicted.end());
  const double picked = pairs.measured[static_cast<size_t>(pick - pairs.predicted.begin())];
  return picked / *std::min_element(pairs.measured.begin(), pairs.measured.end()) - 1;
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> share_near_best(const std::vector<double>& regrets) {
  if (regrets.empty()) return std::nullopt;
  const auto near =
      std::count_if(regrets.begin(), regrets.end(), [](double r) { return r <= near_best; });
  return static_cast<double>(near) / static_cast<double>(regrets.size());
}

/// Share of the runs whose measured feasibility is `fit` that are said not to fit.
std::optional<double> said_not_to_fit(const std::vector<const ValidationRun*>& runs, bool fit) {
  int asked = 0, told = 0;
  for (const ValidationRun* run : runs) {
    if (run->measured.feasible.value_or(true) != fit || !run->predicted) continue;
    ++asked;
    told += !run->predicted->feasible.value_or(true);
  }
  if (asked == 0) return std::nullopt;
  return static_cast<double>(told) / asked;
}

/// Coverage and width of the ranges.
void add_ranges(const std::vector<const ValidationRun*>& runs, Accuracy& accuracy) {
  std::vector<double> inside, widths;
  for (const ValidationRun* run : runs) {
    const std::optional<double> slower = run->slower();
    if (!slower || !run->range) continue;
    inside.push_back(run->range->low <= *slower && *slower <= run->range->high ? 1 : 0);
    widths.push_back(run->range->high - run->range->low);
  }
  accuracy.coverage = mean(inside);
  accuracy.width = percentile(widths, 0.5);
}

Accuracy accuracy_of(const std::vector<const ValidationRun*>& runs) {
  Accuracy accuracy;
  std::vector<double> errors, memory;
  for (const ValidationRun* run : runs) {
    ++accuracy.runs;
    accuracy.predicted += run->predicted.has_value();
    if (const auto error = run->error()) errors.push_back(std::abs(*error));
    if (const auto error = run->memory_error()) memory.push_back(std::abs(*error));
  }
  accuracy.median_abs_error = percentile(errors, 0.5);
  accuracy.p90_abs_error = percentile(errors, 0.9);
  accuracy.mean_abs_error = mean(errors);
  accuracy.memory_median_abs_error = percentile(memory, 0.5);
  const Pairs pairs = pairs_of(runs);
  accuracy.rank_correlation = rank_correlation(pairs.predicted, pairs.measured);
  accuracy.regret = regret_of(pairs);
  add_ranges(runs, accuracy);
  accuracy.brier = brier_score(judged_pairs(pairs.predicted, pairs.measured));
  accuracy.oom_recall = said_not_to_fit(runs, false);
  accuracy.false_oom = said_not_to_fit(runs, true);
  return accuracy;
}

Accuracy overall_of(const std::vector<ValidationRun>& runs,
                    const std::vector<GroupAccuracy>& groups) {
  std::vector<const ValidationRun*> all;
  for (const ValidationRun& run : runs) all.push_back(&run);
  Accuracy overall = accuracy_of(all);
  std::vector<double> medians, memory, correlations, regrets, coverages, widths, briers;
  const auto take = [](const std::optional<double>& value, std::vector<double>& into) {
    if (value) into.push_back(*value);
  };
  for (const auto& [name, title, group] : groups) {
    take(group.median_abs_error, medians);
    take(group.memory_median_abs_error, memory);
    take(group.coverage, coverages);
    take(group.width, widths);
    if (group.predicted < least_sweep) continue;
    take(group.rank_correlation, correlations);
    take(group.regret, regrets);
    take(group.brier, briers);
  }
  overall.median_abs_error = percentile(medians, 0.5);
  overall.p90_abs_error = percentile(medians, 0.9);
  overall.mean_abs_error = mean(medians);
  overall.memory_median_abs_error = percentile(memory, 0.5);
  overall.rank_correlation = mean(correlations);
  overall.regret = mean(regrets);
  overall.brier = mean(briers);
  overall.coverage = mean(coverages);
  overall.width = percentile(widths, 0.5);
  overall.picked_within_2_percent = share_near_best(regrets);
  return overall;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

}  // namespace

std::optional<double> ValidationRun::error() const {
  if (!predicted) return std::nullopt;
  if (measured.iteration_time_s)
    return relative(predicted->iteration_time_s, measured.iteration_time_s);
  return relative(predicted->samples_per_s, measured.samples_per_s);
}

std::optional<double> ValidationRun::slower() const {
  const std::optional<double> off = error();
  if (!off) return std::nullopt;
  return measured.iteration_time_s ? 1 / (1 + *off) : 1 + *off;
}

std::optional<double> ValidationRun::memory_error() const {
  if (!predicted) return std::nullopt;
  return relative(predicted->peak_memory_bytes, measured.peak_memory_bytes);
}

std::optional<double> percentile(std::vector<double> values, double p) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double at = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) return std::nullopt;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double middle = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

Validation validation_of(std::vector<ValidationRun> runs) {
  Validation validation{.runs = std::move(runs)};
  std::vector<std::string> names;
  std::vector<std::vector<JudgedPair>> judged;
  for (const ValidationRun& run : validation.runs)
    if (std::find(names.begin(), names.end(), run.group) == names.end()) names.push_back(run.group);
  for (const std::string& name : names) {
    std::vector<const ValidationRun*> members;
    for (const ValidationRun& run : validation.runs)
      if (run.group == name) members.push_back(&run);
    validation.groups.push_back({name, members.front()->group_title, accuracy_of(members)});
    const Pairs pairs = pairs_of(members);
    judged.push_back(judged_pairs(pairs.predicted, pairs.measured));
  }
  validation.reliability = reliability(judged);
  validation.overall = overall_of(validation.runs, validation.groups);
  return validation;
}

}  // namespace pipewright
