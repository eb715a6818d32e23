#include "report/text/summary_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "program/names.hpp"
#include "report/text/numbers.hpp"
#include "report/text/summary_extras.hpp"
#include "report/text/summary_line.hpp"
#include "report/timeline/tracks.hpp"

namespace pipewright {
namespace {

std::string iteration(const Run& run) {
  const Metrics& metrics = run.result.metrics;
  std::string text = human(metrics.iteration);
  if (metrics.steady) {
    text += fmt::format(" in the steady state ({} from an empty pipeline to an empty one: {})",
                        counted(run.schedule.iterations, "iteration"), human(metrics.makespan));
  } else if (metrics.makespan != metrics.iteration)
    text += fmt::format(" (all that was simulated: {})", human(metrics.makespan));
  return summary_line("iteration time", text);
}

std::string throughput(const RunResult& result) {
  if (!result.rates.samples_per_s) return {};
  std::string text = human_number(*result.rates.samples_per_s) + " samples/s";
  if (result.rates.tokens_per_s)
    text += fmt::format(", {} tokens/s", human_number(*result.rates.tokens_per_s));
  return summary_line("throughput", text);
}

std::string utilization(const RunResult& result) {
  if (!result.rates.mfu) return {};
  std::string text = percent(*result.rates.mfu);
  if (result.rates.model_flops_per_s_per_device) {
    text += fmt::format(" ({} of the model per device)",
                        human_rate(*result.rates.model_flops_per_s_per_device, "FLOP/s"));
  }
  if (result.rates.hfu && *result.rates.hfu != *result.rates.mfu)
    text += fmt::format(", with recomputation {} (HFU)", percent(*result.rates.hfu));
  return summary_line("MFU", text);
}

/// Ranks of a trace wait for messages, and no pipeline is there to have a bubble.
std::string bubble(const Run& run) {
  if (is_trace(run)) return {};
  const Metrics& metrics = run.result.metrics;
  return summary_line("bubble", percent(metrics.bubble_fraction()));
}

std::string bound(const Metrics& metrics) {
  const Bounds& bounds = metrics.bounds;
  const Time best = bounds.best();
  if (best == Time{}) return {};
  const char* which = best == bounds.longest_chain  ? "the longest chain of dependencies"
                      : best == bounds.busiest_lane ? "the busiest stream"
                                                    : "traffic over a cut of the network";
  const double above = in_seconds(metrics.makespan) / in_seconds(best) - 1;
  const std::string distance = metrics.makespan == best
                                   ? "it is reached"
                                   : fmt::format("the run takes {} longer", percent(above));
  return summary_line("lower bound", fmt::format("{}, {}; {}", human(best), which, distance));
}

/// Returns what the critical path is made of, the longest part first, without what rounds to
/// nothing.
std::string critical_path(const Run& run) {
  const Metrics& metrics = run.result.metrics;
  const CriticalPath& path = metrics.critical_path;
  std::vector<std::pair<Time, std::string>> parts = {
      {path.forward, is_trace(run) ? "compute" : "forward"},
      {path.backward, "backward"},
      {path.input_gradient, "input gradient"},
      {path.weight_gradient, "weight gradient"},
      {path.step, "optimizer step"},
      {path.wait, "waiting"}};
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    parts.push_back({path.communication[kind],
                     std::string(to_string(static_cast<Traffic>(kind))) + " communication"});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time, name] : parts) {
    if (in_seconds(time) < 0.0005 * in_seconds(metrics.makespan) || time == Time{}) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        percent(in_seconds(time) / in_seconds(metrics.makespan)));
  }
  return text.empty() ? std::string{} : summary_line("critical path", text);
}

}  // namespace

std::string time_lines(const Run& run) {
  const RunResult& result = run.result;
  return iteration(run) + range_lines(result.ranges) + throughput(result) + utilization(result) +
         bubble(run);
}

std::string bound_lines(const Run& run) { return bound(run.result.metrics) + critical_path(run); }

}  // namespace pipewright
