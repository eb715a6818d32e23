#include "diagnose/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/engine.hpp"

namespace pipewright::diagnose {
namespace {

Time median_time(std::vector<Time>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2 == 1) return *middle;
  return divide(*std::max_element(times.begin(), middle) + *middle, 2);
}

Time mean_of(const std::vector<Time>& times) {
  double sum = 0;
  for (const Time time : times) sum += static_cast<double>(time.ps);
  return {std::llround(sum / static_cast<double>(times.size()))};
}

/// The lengths of all operations of each kind.
std::array<std::vector<Time>, operation_kinds> lengths_by_kind(const MeasuredProgram& trace) {
  std::array<std::vector<Time>, operation_kinds> by_kind;
  for (const OpId body : trace.body)
    if (!trace.is_unseen(body))
      by_kind[trace.program.ops[body].type].push_back(trace.lengths[body]);
  return by_kind;
}

}  // namespace

std::vector<Time> step_times(const MeasuredProgram& trace, std::span<const Time> lengths) {
  const Timeline timeline = run_longest_path(trace.program, lengths);
  std::vector<Time> ends(std::max(trace.steps.size(), trace.run_on));
  for (OpId op = 0; op < timeline.spans.size(); ++op)
    ends[trace.step[op]] = std::max(ends[trace.step[op]], timeline.spans[op].end);
  if (trace.run_on > 0) to_times_between(ends);
  return ends;
}

std::optional<std::pair<double, double>> spread_of_gain(std::span<const Time> before,
                                                        std::span<const Time> after) {
  constexpr size_t fewest = 5;
  if (before.size() < fewest || before.size() != after.size()) return std::nullopt;
  std::vector<double> gains;
  for (size_t step = 0; step < before.size(); ++step)
    gains.push_back(in_seconds(before[step] - after[step]));
  std::ranges::sort(gains);
  const auto quantile = [&](double part) {
    const double place = part * static_cast<double>(gains.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, gains.size() - 1);
    return gains[below] + (place - static_cast<double>(below)) * (gains[above] - gains[below]);
  };
  return std::pair{quantile(0.1), quantile(0.9)};
}

double mean_seconds(std::span<const Time> times) {
  double sum = 0;
  for (const Time time : times) sum += in_seconds(time);
  return sum / static_cast<double>(times.size());
}

double median_seconds(std::span<const Time> times) {
  std::vector<Time> copy(times.begin(), times.end());
  return in_seconds(median_time(copy));
}

std::vector<Time> without_gaps(const MeasuredProgram& trace) {
  std::vector<Time> lengths = trace.lengths;
  for (const OpId gap : trace.gap) lengths[gap] = {};
  return lengths;
}

void keep_hosts(const MeasuredProgram& trace, std::vector<Time>& lengths) {
  if (trace.late.empty()) return;
  for (const OpId gap : trace.gap) lengths[gap] = trace.late[gap];
}

void keep_gaps(const MeasuredProgram& trace, std::vector<Time>& lengths) {
  for (const OpId gap : trace.gap) lengths[gap] = trace.lengths[gap];
}

std::vector<Time> ideal_lengths(const MeasuredProgram& trace) {
  auto by_kind = lengths_by_kind(trace);
  std::array<Time, operation_kinds> ideal{};
  for (size_t kind = 0; kind < operation_kinds; ++kind) {
    if (by_kind[kind].empty()) continue;
    ideal[kind] = communicates(static_cast<OperationKind>(kind)) ? median_time(by_kind[kind])
                                                                 : mean_of(by_kind[kind]);
  }
  std::vector<Time> lengths(trace.lengths.size());
  for (const OpId body : trace.body)
    lengths[body] =
        trace.is_unseen(body) ? trace.lengths[body] : ideal[trace.program.ops[body].type];
  return lengths;
}

}  // namespace pipewright::diagnose
