#include "report/text/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_ranges.hpp"
#include "base/text.hpp"
#include "report/text/first_change.hpp"
#include "report/text/numbers.hpp"
#include "report/text/run_change.hpp"
#include "report/text/table.hpp"

namespace pipewright {
namespace {

constexpr size_t causes_shown = 8;
/// The mean step and the median step, as fractions of the latter: gains are told within as much.
constexpr double notably_apart = 0.05;

std::string job_line(const Diagnosis& d) {
  const FoundParallelism& p = d.parallel;
  std::string text = fmt::format("pipeline {}, data {}", p.pipeline, p.data);
  if (p.tensor > 1) text += fmt::format(", tensor {}", p.tensor);
  if (p.context > 1) text += fmt::format(", context {}", p.context);
  if (p.expert > 1) text += fmt::format(", expert {}", p.expert);
  if (p.chunks > 1) text += fmt::format(", {} chunks a rank", p.chunks);
  text += fmt::format(", {}", counted(d.micro_batches, "micro-batch"));
  if (p.pipeline == 1 && d.schedule.distance == 0) return text;  // there is nothing to schedule
  text += ", ";
  if (d.schedule.passes == 0) return text + "schedule unknown";
  if (d.schedule.name == "unknown") return text + "a schedule that is not in the list";
  text += d.schedule.name;
  if (d.schedule.distance > 0)
    text += fmt::format(", {} of {} passes out of order (first at {})", d.schedule.distance,
                        d.schedule.passes, d.schedule.deviation);
  return text;
}

std::string times_table(const Diagnosis& d) {
  std::string text;
  for (const auto& [name, time, what] :
       {std::tuple("measured", d.typical.measured_s, "median step"),
        std::tuple("simulated", d.typical.simulated_s, "its own durations"),
        std::tuple("ideal", d.typical.ideal_s, "every duration that of its peers")})
    text += fmt::format("  {:<10} {:>10}  {}\n", name, human_time(time), what);
  const double mean = mean_step_s(d), median = d.typical.measured_s;
  if (mean > 0 && std::abs(mean - median) > notably_apart * median)
    text += fmt::format("  {:<10} {:>10}  mean step, which causes are of\n", "", human_time(mean));
  return text;
}

/// Whether one device waits for something that is no other stage.
bool stands_still_alone(const Diagnosis& d) {
  return d.ranks.size() == 1 && d.parallel.pipeline == 1 && d.breakdown.bubble > Time{};
}

std::string account_line(const Diagnosis& d) {
  const Breakdown& b = d.breakdown;
  const double total = in_seconds(b.total());
  if (total <= 0) return {};
  const auto share = [&](Time time) { return percent(in_seconds(time) / total); };
  const Time copies = b.exposed[static_cast<size_t>(Traffic::host)];
  const bool stands_still = stands_still_alone(d);
  return fmt::format(
      "A device computes {}, waits for communication {}, {}for its host {}, and {}{}{}.\n",
      share(b.computing()), share(b.communicating() - copies),
      copies > Time{} ? fmt::format("for copies from and to its host {}, ", share(copies)) : "",
      share(b.host), stands_still ? "stands still for " : "", share(b.bubble),
      stands_still ? " though its host has asked for more" : " is bubble");
}

/// "rank 27", "ranks 24-31".
std::string numbered(const char* what, const std::vector<int>& numbers) {
  return fmt::format("{}{} {}", what, numbers.size() == 1 ? "" : "s", number_ranges(numbers));
}

/// The nodes that have any of these devices.
std::vector<int> nodes_with(const Diagnosis& d, const std::vector<int>& devices) {
  std::vector<int> nodes;
  for (size_t node = 0; node < d.nodes.size(); ++node)
    if (std::ranges::any_of(
            d.nodes[node], [&](int device) { return std::ranges::binary_search(devices, device); }))
      nodes.push_back(static_cast<int>(node));
  return nodes;
}

/// Whom it concerns, with the numbers of devices. Where nodes are known, these are ranks.
std::string named(const Diagnosis& d, const Cause& cause) {
  const std::string who = printable(cause.who);
  if (cause.devices.empty()) return who;
  const std::vector<int> nodes = nodes_with(d, cause.devices);
  if (nodes.empty()) return fmt::format("{} ({})", who, numbered("device", cause.devices));
  const std::string ranks = numbered("rank", cause.devices);
  if (whole_nodes(d, cause.devices) == nodes)
    return fmt::format("{}: {} ({})", who, numbered("node", nodes), ranks);
  return fmt::format("{} ({} of {})", who, ranks, numbered("node", nodes));
}

std::string causes_table(const Diagnosis& d) {
  if (d.causes.empty()) return "Nothing is slower than its peers.\n";
  const double step = mean_step_s(d);
  std::vector<std::vector<std::string>> rows = {
      {"cause", "recovers", "of a step", "attributed", "who"}};
  for (const Cause& cause : d.causes) {
    if (rows.size() > causes_shown) break;
    rows.push_back({std::string(name_of(cause.kind)), human_time(cause.recovered_s),
                    step > 0 ? percent(cause.recovered_s / step) : "-",
                    cause.attributed_s == 0 ? "-" : human_time(cause.attributed_s),
                    named(d, cause) + (cause.beyond_peers ? " (at most)" : "")});
  }
  std::string text = aligned(rows);
  if (d.causes.size() > causes_shown)
    text += fmt::format("and {} more (--json has them)\n", d.causes.size() - causes_shown);
  return text + "'recovers': with that alone cured; 'attributed': besides those above.\n";
}

std::string advice(const Diagnosis& d) {
  const std::string first = first_change(d);
  return first.empty() ? first : '\n' + wrapped(first + '\n', screen, 2);
}

/// The predicted step beside the measured one, by what it is made of and by kinds of kernels.
/// One row for the mean of all layers: a screen has no room for each.
std::vector<LayerKernelTime> rows_of(const std::vector<LayerKernelTime>& layers) {
  if (layers.size() <= 3) return layers;
  const auto count = static_cast<double>(layers.size() - 2);
  LayerKernelTime mean{.name = fmt::format("a layer (mean of {})", layers.size() - 2)};
  double predicted = 0;
  for (size_t i = 1; i + 1 < layers.size(); ++i) {
    mean.forward_s += layers[i].measured_s() / count;
    predicted += layers[i].predicted_s() / count;
  }
  mean.predicted_forward_s = predicted;
  return {layers.front(), mean, layers.back()};
}

std::string prediction_table(const Diagnosis& d) {
  if (!d.predicted) return {};
  const Breakdown &m = d.breakdown, &p = d.predicted->breakdown;
  std::vector<std::vector<std::string>> rows = {
      {"against the experiment", "measured", "predicted"}};
  const auto add = [&](std::string what, double measured, double predicted) {
    rows.push_back({std::move(what), human_time(measured), human_time(predicted)});
  };
  add("step", d.typical.measured_s, d.predicted->iteration_time_s);
  add("compute", in_seconds(m.computing()), in_seconds(p.computing()));
  add("exposed communication", in_seconds(m.communicating()), in_seconds(p.communicating()));
  add("host", in_seconds(m.host), in_seconds(p.host));
  add("bubble", in_seconds(m.bubble), in_seconds(p.bubble));
  for (const KernelKindTime& kernel : d.kernels)
    add("  " + kernel.kind, kernel.measured_s, kernel.predicted_s);
  for (const LayerKernelTime& layer : rows_of(d.layers))
    add("  " + layer.name, layer.measured_s(), layer.predicted_s());
  return '\n' + aligned(rows);
}

}  // namespace

Report diagnosis_report(const Diagnosis& d) {
  std::string text = fmt::format("{}: {}\n", printable(d.source),
                                 counted(static_cast<int64_t>(d.steps.size()), "step"));
  text += wrapped(job_line(d) + '\n', screen, 2) + '\n' + times_table(d);
  text += wrapped(fmt::format("Slower than the ideal by {:.3f}; {} of the measured step is "
                              "explained.\n",
                              d.typical.slowdown, percent(d.typical.explained_fraction)),
                  screen, 0);
  text += wrapped(account_line(d), screen, 0) + '\n' + causes_table(d) + advice(d) +
          prediction_table(d);
  if (d.change) text += change_text(*d.change);
  for (const std::string& note : d.notes)
    text += wrapped("note: " + printable(note) + '\n', screen, 6);
  return Report().heading("A diagnosis").drawing(std::move(text));
}

}  // namespace pipewright
