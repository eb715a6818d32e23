#include "report/text/summary.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/text/accounts_table.hpp"
#include "report/text/numbers.hpp"
#include "report/text/summary_extras.hpp"
#include "report/text/summary_line.hpp"
#include "report/text/summary_tables.hpp"
#include "report/text/summary_times.hpp"
#include "report/text/table.hpp"
#include "report/text/timeline.hpp"
#include "report/timeline/tracks.hpp"
#include "result/totals.hpp"

namespace pipewright {
namespace {

/// Returns how a user would speak of a model or a cluster: by its name or description where it has
/// one.
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

std::string shape(const Run& run) {
  int64_t devices = 0;
  for (const ProgramRank& rank : run.program.ranks) devices += rank.multiplicity;
  const schedule::Schedule& s = run.schedule;
  if (s.order.empty()) return summary_line("ran", counted(devices, "device"));
  if (is_trace(run)) {
    const auto ops = static_cast<int64_t>(run.result.cost.events);
    return summary_line("ran", counted(ops, "op") + " of " + counted(devices, "rank"));
  }
  std::string text = fmt::format("{} on {}, {}, {}", counted(s.stages, "stage"),
                                 counted(s.ranks(), "pipeline rank"), counted(devices, "device"),
                                 counted(s.micro_batches, "micro-batch"));
  if (s.slices > 1) text += fmt::format(" in {}", counted(s.slices, "slice"));
  if (s.iterations > 1) text += fmt::format(", {}", counted(s.iterations, "iteration"));
  return summary_line("ran", text);
}

/// Traces say nothing of memory.
std::string feasibility(const Run& run) {
  if (is_trace(run)) return {};
  const RunResult& result = run.result;
  const Bytes peak = totals(result).peak_memory;
  if (!result.fit.device_memory) return summary_line("peak memory", human(peak));
  const std::string need = fmt::format("{} of {}", human(peak), human(*result.fit.device_memory));
  return result.fit.feasible ? summary_line("fits", "yes, with at most " + need)
                             : summary_line("fits", "NO, a device would need " + need);
}

std::string staleness(const RunResult& result) {
  if (result.synchronous) return {};
  const Totals most = totals(result);
  return summary_line("asynchronous", fmt::format("{}, gradients at most {} late",
                                                  counted(most.weight_versions, "weight version"),
                                                  counted(most.staleness, "step")));
}

std::string simulator(const Cost& cost, const char* event) {
  std::string text = fmt::format("{} in {}", counted(static_cast<int64_t>(cost.events), event),
                                 human_time(cost.wall_s));
  if (cost.wall_s > 0) {
    text += fmt::format(" ({})", human_rate(static_cast<double>(cost.events) / cost.wall_s,
                                            fmt::format("{}s/s", event).c_str()));
  }
  return summary_line("simulated",
                      fmt::format("{}, after {} of setup", text, human_time(cost.setup_s)));
}

std::string traffic_summary(const Run& run, size_t columns) {
  const RunResult& result = run.result;
  const auto flows = static_cast<int64_t>(result.traffic.flows.size());
  const auto devices = static_cast<int64_t>(run.program.ranks.size());
  std::string text =
      headline(result) +
      summary_line("ran", counted(flows, "flow") + " between " + counted(devices, "device")) +
      summary_line("first to last", human(result.metrics.makespan)) +
      summary_line("moved", human_bytes(result.metrics.communication[0].bytes)) +
      extra_lines(result) + simulator(result.cost, "event");
  return wrapped(text, columns, summary_indent) + '\n' + flow_table(result.traffic.flows);
}

}  // namespace

std::string summary(const Run& run, size_t columns) {
  const RunResult& result = run.result;
  if (!result.traffic.flows.empty()) return traffic_summary(run, columns);
  std::string text = headline(result) + shape(run) + time_lines(run) + feasibility(run) +
                     staleness(result) + extra_lines(result) + simulator(result.cost, "op");
  text = wrapped(text, columns, summary_indent);
  const std::string accounts = accounts_table(result.metrics);
  if (!accounts.empty()) text += '\n' + accounts;
  if (!is_trace(run)) text += '\n' + memory_table(result);
  const std::string communication = communication_table(result.metrics);
  if (!communication.empty()) text += '\n' + communication;
  return text + '\n' + ascii_timeline(run.program, run.timeline, columns);
}

}  // namespace pipewright
