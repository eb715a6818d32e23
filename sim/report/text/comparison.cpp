#include "report/text/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/text/table.hpp"
#include "result/totals.hpp"

namespace pipewright {
namespace {

/// A row that ran, with what it is judged by.
struct Candidate {
  const RunResult* result = nullptr;
  Time time;
  Totals most;

  const std::string& name() const { return result->schedule; }
  bool can_be() const { return result->feasible && result->suits_devices; }
  bool safe() const { return result->synchronous && can_be(); }
};

/// Fastest first, of equally fast ones the leanest, then in the given order.
std::vector<Candidate> ranked(std::span<const Row> rows) {
  std::vector<Candidate> candidates;
  for (const Row& row : rows) {
    if (!row.run) continue;
    const RunResult& result = row.run->result;
    candidates.push_back({&result, result.metrics.iteration, totals(result)});
  }
  std::stable_sort(
      candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::pair(a.time, a.most.peak_memory) < std::pair(b.time, b.most.peak_memory);
      });
  return candidates;
}

std::string human(Time time) { return human_time(in_seconds(time)); }
std::string human(Bytes bytes) { return human_bytes(static_cast<double>(bytes.count)); }

/// How much less `value` is than `than`: "12.3 %".
std::string less(double value, double than) { return percent(1 - value / than); }
std::string less(Time a, Time b) { return less(in_seconds(a), in_seconds(b)); }
std::string less(Bytes a, Bytes b) {
  return less(static_cast<double>(a.count), static_cast<double>(b.count));
}

/// How much more `value` is than `than`.
std::string more(Time value, Time than) {
  if (than == Time{}) return human(value);
  return percent(in_seconds(value) / in_seconds(than) - 1);
}

/// What an asynchronous schedule asks for in return.
std::string lateness(const Candidate& c) {
  if (c.most.staleness == 0) return "it is asynchronous, which a single iteration does not show";
  return fmt::format("its gradients are {} late", counted(c.most.staleness, "step"));
}

std::string stale(const Candidate& c) {
  if (c.result->synchronous) return "-";
  return counted(c.most.staleness, "step");
}

/// The share of the iteration time that the row shows.
double bubble(const Metrics& metrics) {
  return metrics.steady ? metrics.steady->bubble_fraction : metrics.bubble_fraction;
}

/// What the numbers of asynchronous rows are.
std::string steady_note(const std::vector<Candidate>& candidates) {
  const bool any = std::any_of(candidates.begin(), candidates.end(),
                               [](const Candidate& c) { return c.result->metrics.steady; });
  if (!any) return {};
  return "\nAsynchronous schedules are shown in their steady state, without filling and draining: "
         "the iteration\nis its period and the bubble the idle part of that.\n";
}

std::string fits(const Candidate& c) {
  if (!c.result->feasible) return "NO";
  return c.result->device_memory ? "yes" : "-";
}

std::vector<std::string> table_row(const Candidate& c, const Candidate& best) {
  const double ratio = best.time == Time{} ? 1 : in_seconds(c.time) / in_seconds(best.time);
  return {c.name(),
          human(c.time),
          fmt::format("{:.3f}", ratio),
          percent(bubble(c.result->metrics)),
          human(c.most.peak_memory),
          fmt::format("{}", c.most.peak_in_flight),
          fmt::format("{}", c.most.weight_versions),
          stale(c),
          fits(c)};
}

/// The fastest for which `holds`; the list is in order of time.
template <class Condition>
const Candidate* fastest(const std::vector<Candidate>& candidates, const Condition& holds) {
  const auto found = std::find_if(candidates.begin(), candidates.end(), holds);
  return found == candidates.end() ? nullptr : &*found;
}

std::string nothing_fits(const std::vector<Candidate>& candidates) {
  const auto leanest = std::min_element(candidates.begin(), candidates.end(),
                                        [](const Candidate& a, const Candidate& b) {
                                          return a.most.peak_memory < b.most.peak_memory;
                                        });
  std::string text = fmt::format("None fits in memory: {} comes nearest with {}", leanest->name(),
                                 human(leanest->most.peak_memory));
  if (const auto capacity = leanest->result->device_memory)
    text += fmt::format(" on a device of {}", human(*capacity));
  return text + ".";
}

std::string only_asynchronous(const Candidate& c) {
  return fmt::format(
      "No synchronous schedule fits in memory; {} is the fastest that does, at {} an iteration, "
      "but "
      "{}.",
      c.name(), human(c.time), lateness(c));
}

/// What else could be had, and its price.
std::string trade_offs(const std::vector<Candidate>& candidates, const Candidate& best) {
  std::string text;
  const Candidate* stale = fastest(candidates, [&](const Candidate& c) {
    return c.can_be() && !c.result->synchronous && c.time < best.time;
  });
  if (stale) {
    text += fmt::format("; {} is {} faster, but {}", stale->name(), less(stale->time, best.time),
                        lateness(*stale));
  }
  const Candidate* lean = fastest(candidates, [&](const Candidate& c) {
    return c.safe() && c.most.peak_memory.count <= best.most.peak_memory.count / 10 * 9 &&
           c.most.peak_memory < best.most.peak_memory;
  });
  if (lean) {
    text += fmt::format("; {} needs {} less memory and takes {} longer", lean->name(),
                        less(lean->most.peak_memory, best.most.peak_memory),
                        more(lean->time, best.time));
  }
  const Candidate* large = fastest(candidates, [&](const Candidate& c) {
    return c.result->synchronous && !c.result->feasible && c.result->suits_devices &&
           c.time < best.time;
  });
  if (large) {
    text += fmt::format("; {} would be {} faster, but needs {} of memory", large->name(),
                        less(large->time, best.time), human(large->most.peak_memory));
  }
  const Candidate* streaming = fastest(candidates, [&](const Candidate& c) {
    return c.result->feasible && !c.result->suits_devices && c.time < best.time;
  });
  if (streaming) {
    text += fmt::format("; {} would be {} faster on devices that send while they compute (FPGAs)",
                        streaming->name(), less(streaming->time, best.time));
  }
  return text;
}

std::string recommend(const std::vector<Candidate>& candidates) {
  if (candidates.empty()) return {};
  const Candidate* best = fastest(candidates, [](const Candidate& c) { return c.safe(); });
  if (!best) {
    const Candidate* asynchronous =
        fastest(candidates, [](const Candidate& c) { return c.can_be(); });
    return asynchronous ? only_asynchronous(*asynchronous) : nothing_fits(candidates);
  }
  if (candidates.size() == 1)
    return fmt::format("Take {}, the only one that can run here: {} an iteration.", best->name(),
                       human(best->time));
  return fmt::format("Take {}, at {} an iteration the fastest synchronous schedule that fits{}.",
                     best->name(), human(best->time), trade_offs(candidates, *best));
}

}  // namespace

std::string recommendation(std::span<const Row> rows) { return recommend(ranked(rows)); }

std::string comparison(std::span<const Row> rows) {
  const std::vector<Candidate> candidates = ranked(rows);
  std::vector<std::vector<std::string>> table = {{"schedule", "iteration", "ratio", "bubble",
                                                  "peak memory", "in flight", "versions",
                                                  "staleness", "fits"}};
  for (const Candidate& c : candidates) table.push_back(table_row(c, candidates.front()));
  size_t width = table.front().front().size();
  for (const Row& row : rows) width = std::max(width, row.schedule.size());
  table.front().front().resize(width, ' ');
  std::string text = candidates.empty() ? std::string{} : aligned(table);
  for (const Row& row : rows)
    if (!row.run) text += fmt::format("{:<{}}  cannot run: {}\n", row.schedule, width, row.reason);
  text += steady_note(candidates);
  if (!candidates.empty()) text += '\n' + recommend(candidates) + '\n';
  return text;
}

}  // namespace pipewright
