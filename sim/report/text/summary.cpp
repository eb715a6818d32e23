#include "report/text/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "program/names.hpp"
#include "report/text/timeline.hpp"
#include "report/text/summary_tables.hpp"
#include "report/text/table.hpp"
#include "result/totals.hpp"

namespace pipewright {
namespace {

std::string human(Time time) { return human_time(in_seconds(time)); }
std::string human(Bytes bytes) { return human_bytes(static_cast<double>(bytes.count)); }

constexpr size_t label_width = 16;

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<{}}{}\n", label, label_width, text);
}

/// How a user would speak of a model or a cluster: by its name or description where it has one.
std::string title(const config::Value* value, const char* otherwise) {
  if (!value) return {};
  if (value->is_scalar()) return value->text;
  for (const char* key : {"name", "base", "description", "node"})
    if (const config::Value* name = value->find(key); name && name->is_scalar()) return name->text;
  return value->find("synthetic") ? "a synthetic model" : otherwise;
}

std::string headline(const RunResult& result) {
  const std::string model = title(result.experiment.find("model"), "a model of its own");
  const std::string cluster = title(result.experiment.find("cluster"), "a cluster of its own");
  std::string text = result.schedule;
  if (!model.empty()) text += ": " + model;
  if (!cluster.empty()) text += " on " + cluster;
  return text + "\n";
}

/// Ops that bring their own names, rather than the passes of a schedule.
bool is_trace(const Run& run) { return !run.program.labels.empty(); }

std::string shape(const Run& run) {
  int64_t devices = 0;
  for (const ProgramRank& rank : run.program.ranks) devices += rank.multiplicity;
  const schedule::Schedule& s = run.schedule;
  if (s.order.empty()) return line("ran", counted(devices, "device"));
  if (is_trace(run)) {
    const auto ops = static_cast<int64_t>(run.result.cost.events);
    return line("ran", counted(ops, "op") + " of " + counted(devices, "rank"));
  }
  std::string text = fmt::format("{} on {}, {}, {}", counted(s.stages, "stage"),
                                 counted(s.ranks(), "pipeline rank"), counted(devices, "device"),
                                 counted(s.micro_batches, "micro-batch"));
  if (s.slices > 1) text += fmt::format(" in {}", counted(s.slices, "slice"));
  if (s.iterations > 1) text += fmt::format(", {}", counted(s.iterations, "iteration"));
  return line("ran", text);
}

std::string iteration(const Run& run) {
  const Metrics& metrics = run.result.metrics;
  std::string text = human(metrics.iteration);
  if (metrics.steady) {
    text += fmt::format(" in the steady state ({} from an empty pipeline to an empty one: {})",
                        counted(run.schedule.iterations, "iteration"), human(metrics.makespan));
  } else if (metrics.makespan != metrics.iteration)
    text += fmt::format(" (all that was simulated: {})", human(metrics.makespan));
  return line("iteration time", text);
}

std::string bubble(const Metrics& metrics) {
  std::string text = percent(metrics.bubble_fraction);
  if (metrics.steady) {
    text = fmt::format("{} in the steady state, {} with filling and draining",
                       percent(metrics.steady->bubble_fraction), text);
  }
  return line("bubble", text);
}

std::string throughput(const RunResult& result) {
  if (!result.samples_per_s) return {};
  std::string text = human_number(*result.samples_per_s) + " samples/s";
  if (result.tokens_per_s) text += fmt::format(", {} tokens/s", human_number(*result.tokens_per_s));
  return line("throughput", text);
}

std::string utilization(const RunResult& result) {
  if (!result.mfu) return {};
  std::string text = percent(*result.mfu);
  if (result.model_flops_per_s_per_device) {
    text += fmt::format(" ({} of the model per device)",
                        human_rate(*result.model_flops_per_s_per_device, "FLOP/s"));
  }
  if (result.hfu && *result.hfu != *result.mfu)
    text += fmt::format(", with recomputation {} (HFU)", percent(*result.hfu));
  return line("MFU", text);
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
  return line("lower bound", fmt::format("{}, {}; {}", human(best), which, distance));
}

/// What the critical path is made of, the longest part first, without what rounds to nothing.
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
  return text.empty() ? std::string{} : line("critical path", text);
}

/// Traces say nothing of memory.
std::string feasibility(const Run& run) {
  if (is_trace(run)) return {};
  const RunResult& result = run.result;
  const Bytes peak = totals(result).peak_memory;
  if (!result.device_memory) return line("peak memory", human(peak));
  const std::string need = fmt::format("{} of {}", human(peak), human(*result.device_memory));
  return result.feasible ? line("fits", "yes, with at most " + need)
                         : line("fits", "NO, a device would need " + need);
}

std::string staleness(const RunResult& result) {
  if (result.synchronous) return {};
  const Totals most = totals(result);
  return line("asynchronous", fmt::format("{}, gradients at most {} late",
                                          counted(most.weight_versions, "weight version"),
                                          counted(most.staleness, "step")));
}

/// With what it costs, and whether it is done in time.
std::string time_to_train(const RunResult& result) {
  const double seconds = *result.time_to_train_s;
  constexpr double day = 86'400;
  std::string text = fmt::format("{:.3g} days", seconds / day);
  if (result.time_to_train_cost_usd)
    text += fmt::format(", {} USD", human_number(std::round(*result.time_to_train_cost_usd)));
  if (result.deadline_s) {
    text +=
        fmt::format(", {} the deadline of {:.3g} days",
                    seconds <= *result.deadline_s ? "within" : "BEYOND", *result.deadline_s / day);
  }
  return text;
}

std::string extras(const RunResult& result) {
  std::string text;
  if (result.uncertainty) {
    text += line("uncertainty",
                 fmt::format("{} to {} (p10 to p90), {} beyond what was measured",
                             human(result.uncertainty->p10), human(result.uncertainty->p90),
                             counted(result.uncertainty->extrapolated_ops, "op")));
  }
  if (result.variation) {
    const Quantiles& q = *result.variation;
    text +=
        line("variation", fmt::format("{} to {} (p10 to p90), median {}, 95th percentile {}, by {}",
                                      human(q.p10), human(q.p90), human(q.p50), human(q.p95),
                                      counted(q.seeds, "run")));
  }
  if (result.goodput) {
    text += line("goodput", fmt::format("{} of the time; checkpoints would be best every {}",
                                        percent(result.goodput->fraction),
                                        human_time(result.goodput->best_interval_s)));
  }
  for (const auto& [what, from] : result.provenance) text += line(what.c_str(), "by " + from);
  for (const std::string& note : result.notes) text += line("note", note);
  if (result.time_to_train_s) text += line("time to train", time_to_train(result));
  if (result.energy_j) text += line("energy", human_rate(*result.energy_j, "J") + " an iteration");
  if (result.cost_usd)
    text += line("cost", fmt::format("{:.4g} USD an iteration", *result.cost_usd));
  for (size_t k = 0; k < std::min<size_t>(result.links.size(), 3); ++k) {
    const LinkUse& link = result.links[k];
    text += line(k == 0 ? "busiest links" : "",
                 fmt::format("{} {} busy, {}", link.name, percent(link.busy_fraction),
                             human_bytes(link.bytes)));
  }
  return text;
}

std::string simulator(const Cost& cost, const char* event) {
  std::string text = fmt::format("{} in {}", counted(static_cast<int64_t>(cost.events), event),
                                 human_time(cost.wall_s));
  if (cost.wall_s > 0) {
    text += fmt::format(" ({})", human_rate(static_cast<double>(cost.events) / cost.wall_s,
                                            fmt::format("{}s/s", event).c_str()));
  }
  return line("simulated", fmt::format("{}, after {} of setup", text, human_time(cost.setup_s)));
}

std::string traffic_summary(const Run& run, size_t columns) {
  const RunResult& result = run.result;
  const auto flows = static_cast<int64_t>(result.flows.size());
  const auto devices = static_cast<int64_t>(run.program.ranks.size());
  std::string text =
      headline(result) +
      line("ran", counted(flows, "flow") + " between " + counted(devices, "device")) +
      line("first to last", human(result.metrics.makespan)) +
      line("moved", human_bytes(result.metrics.communication[0].bytes)) + extras(result) +
      simulator(result.cost, "event");
  return wrapped(text, columns, label_width + 2) + '\n' + flow_table(result.flows);
}

}  // namespace

std::string summary(const Run& run, size_t columns) {
  const RunResult& result = run.result;
  if (!result.flows.empty()) return traffic_summary(run, columns);
  const Metrics& metrics = result.metrics;
  std::string text = headline(result) + shape(run) + iteration(run) + throughput(result) +
                     utilization(result) + bubble(metrics) + bound(metrics) + critical_path(run) +
                     feasibility(run) + staleness(result) + extras(result) +
                     simulator(result.cost, "op");
  text = wrapped(text, columns, label_width + 2);
  if (!is_trace(run)) text += '\n' + memory_table(result);
  const std::string communication = communication_table(metrics);
  if (!communication.empty()) text += '\n' + communication;
  return text + '\n' + ascii_timeline(run.program, run.timeline, columns);
}

}  // namespace pipewright
