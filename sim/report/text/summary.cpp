#include "report/text/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "report/text/accounts_bar.hpp"
#include "report/text/accounts_table.hpp"
#include "report/text/numbers.hpp"
#include "report/text/summary_extras.hpp"
#include "report/text/summary_job.hpp"
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
  if (value->is_scalar()) return std::filesystem::path(value->text).filename();
  // Where a name is a path, or an owner's, its last part is the model's.
  if (const config::Value* name = value->find("_name_or_path"); name && name->is_scalar())
    return std::filesystem::path(name->text).filename();
  for (const char* key : {"name", "base", "description"})
    if (const config::Value* name = value->find(key); name && name->is_scalar()) return name->text;
  return value->find("synthetic") ? "a synthetic model" : otherwise;
}

/// Returns ", 7.62B parameters,"; empty where the title says how many or nobody knows it.
std::string size_of_model(const std::string& name, double parameters) {
  if (parameters == 0 || name.find("parameters") != std::string::npos) return {};
  constexpr std::array<std::pair<double, const char*>, 3> units = {
      {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}}};
  constexpr double rounds_up = 0.9995;  // to 1,000 of the next smaller unit
  for (const auto& [size, letter] : units)
    if (parameters >= rounds_up * size)
      return fmt::format(", {:.3g}{} parameters,", parameters / size, letter);
  return fmt::format(", {} parameters,", static_cast<int64_t>(parameters));
}

/// Returns how a user would speak of a cluster: "32 nodes of dgx-h100" where it has no name of its
/// own and its nodes are alike.
std::string title_of_cluster(const config::Value* cluster) {
  if (std::string name = title(cluster, ""); !name.empty() || !cluster) return name;
  const config::Value *node = cluster->find("node"), *count = cluster->find("nodes");
  if (!node) return "a cluster of its own";
  const std::string nodes = counted(count ? config::as_int(*count, 1, 1 << 30) : 1, "node");
  if (node->is_scalar())
    return nodes + " of " + std::filesystem::path(node->text).filename().string();
  const config::Value *device = node->find("device"), *devices = node->find("devices");
  if (!device || !devices || !device->is_scalar() || !devices->is_scalar()) return nodes;
  return fmt::format("{} of {} {}", nodes, devices->text, device->text);
}

std::string headline(const RunResult& result) {
  const config::Value& experiment = result.experiment;
  std::string model = title(experiment.find("model"), "a model of its own");
  model += size_of_model(model, result.parameters);
  const std::string cluster = title_of_cluster(experiment.find("cluster"));
  std::string text = result.schedule;
  if (!model.empty()) text += ": " + model;
  if (cluster.empty() && text.ends_with(',')) text.pop_back();
  if (!cluster.empty()) text += " on " + cluster;
  return text;
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
  if (peak == Bytes{})
    return summary_line("peak memory", "not known: the experiment says nothing of it");
  if (!result.fit.device_memory) return summary_line("peak memory", human(peak));
  const std::string need =
      fmt::format("{} of {}", human(result.fit.fullest), human(*result.fit.device_memory));
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

/// Adds lines with labels, broken for a terminal of so many columns.
void add_facts(Report& report, const std::string& lines, size_t columns) {
  report.table(summary_rows(lines), wrapped(lines, columns, summary_indent));
}

void add_headline(Report& report, const RunResult& result, size_t columns) {
  const std::string text = headline(result);
  report.heading(text, wrapped(text + '\n', columns, summary_indent));
}

Report traffic_report(const Run& run, size_t columns) {
  const RunResult& result = run.result;
  const auto flows = static_cast<int64_t>(result.traffic.flows.size());
  const auto devices = static_cast<int64_t>(run.program.ranks.size());
  const std::string lines =
      summary_line("ran", counted(flows, "flow") + " between " + counted(devices, "device")) +
      summary_line("first to last", human(result.metrics.makespan)) +
      summary_line("moved", human_bytes(result.metrics.communication[0].bytes)) +
      range_lines(result.ranges) + expense_lines(result) + link_lines(result) +
      provenance_lines(result) + simulator(result.cost, "event");
  Report report;
  add_headline(report, result, columns);
  add_facts(report, lines, columns);
  return report.lines("\n").add(flow_table(result.traffic.flows));
}

/// What is said in lines: the job, its time, its memory, what it costs.
std::string lines_of(const Run& run, const SummaryOptions& options) {
  const RunResult& result = run.result;
  std::string text = shape(run) + job_lines(result.experiment) + time_lines(run);
  if (options.verbose) text += bound_lines(run);
  text += feasibility(run) + remedy_lines(result) + staleness(result) + expense_lines(result);
  const auto gain = result.metrics.detail.if_free ? result.metrics.detail.if_free : options.gains;
  if (gain) text += gain_lines(*gain, result.metrics.iteration);
  return text + link_lines(result);
}

/// Where the numbers come from, in lines.
std::string origin_of(const Run& run, const SummaryOptions& options) {
  std::string text;
  if (options.given) text += default_lines(run.result.experiment, *options.given, options.verbose);
  text += provenance_lines(run.result);
  if (options.verbose) text += simulator(run.result.cost, "op");
  return text;
}

/// Adds the bar and the table of the accounts, and the tables of memory and communication.
void add_tables(Report& report, const Run& run, const SummaryOptions& options) {
  const RunResult& result = run.result;
  const Report accounts = accounts_table(result.metrics, is_trace(run) ? "waiting" : "bubble");
  if (!accounts.parts().empty()) {
    constexpr size_t widest = 76;
    const size_t width = std::min(widest, options.columns - 4);
    report.lines("\n").drawing("  " + accounts_bar(result.metrics, width) + '\n').add(accounts);
  }
  if (!is_trace(run)) report.lines("\n").add(memory_table(result, options.columns));
  const Report communication = communication_table(result.metrics);
  if (!communication.parts().empty() && options.verbose) report.lines("\n").add(communication);
}

}  // namespace

Report summary_report(const Run& run, const SummaryOptions& options) {
  if (!run.result.traffic.flows.empty()) return traffic_report(run, options.columns);
  Report report;
  add_headline(report, run.result, options.columns);
  add_facts(report, lines_of(run, options), options.columns);
  add_tables(report, run, options);
  report.lines("\n").drawing(ascii_timeline(run.program, run.timeline, options.columns));
  const std::string origin = origin_of(run, options);
  if (!origin.empty()) report.lines("\n");
  add_facts(report, origin, options.columns);
  return report;
}

}  // namespace pipewright
