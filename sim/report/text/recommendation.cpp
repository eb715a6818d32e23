#include "report/text/recommendation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/numbers.hpp"
#include "report/text/shared_rank.hpp"
#include "result/fit.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

using Candidates = std::vector<RankedSchedule>;

/// Returns how much less `value` is than `than`: "12.3 %".
std::string less(double value, double than) { return percent(1 - value / than); }
std::string less(Time a, Time b) { return less(in_seconds(a), in_seconds(b)); }
std::string less(Bytes a, Bytes b) {
  return less(static_cast<double>(a.count), static_cast<double>(b.count));
}

/// Returns how much more `value` is than `than`.
std::string more(Time value, Time than) {
  if (than == Time{}) return human(value);
  return percent(in_seconds(value) / in_seconds(than) - 1);
}

/// Returns what an asynchronous schedule asks for in return.
std::string lateness(const RankedSchedule& c) {
  if (c.most.staleness == 0) return "it is asynchronous, which a single iteration does not show";
  return fmt::format("its gradients are {} late", counted(c.most.staleness, "step"));
}

/// The fastest for which `holds`; the list is in order of time.
template <class Condition>
const RankedSchedule* fastest(const Candidates& candidates, const Condition& holds) {
  const auto found = std::find_if(candidates.begin(), candidates.end(), holds);
  return found == candidates.end() ? nullptr : &*found;
}

std::string nothing_fits(const Candidates& candidates) {
  const auto leanest = std::min_element(candidates.begin(), candidates.end(),
                                        [](const RankedSchedule& a, const RankedSchedule& b) {
                                          return a.most.peak_memory < b.most.peak_memory;
                                        });
  std::string text = fmt::format("None fits in memory: {} comes nearest with {}", leanest->name(),
                                 human(leanest->most.peak_memory));
  if (const auto capacity = leanest->result->fit.device_memory)
    text += fmt::format(" on a device of {}", human(*capacity));
  return text + ".";
}

std::string only_asynchronous(const RankedSchedule& c) {
  return fmt::format(
      "No synchronous schedule fits in memory; {} is the fastest that does, at {} an iteration, "
      "but {}.",
      c.name(), human(c.time), lateness(c));
}

/// A faster one whose gradients are late.
std::string asynchronous(const Candidates& candidates, const RankedSchedule& best) {
  const RankedSchedule* found = fastest(candidates, [&](const RankedSchedule& c) {
    return c.can_be() && !c.result->synchronous && c.time < best.time;
  });
  if (!found) return {};
  return fmt::format("; {} is {} faster, but {}", found->name(), less(found->time, best.time),
                     lateness(*found));
}

/// A slower one that needs a tenth less memory, or even less.
std::string lean(const Candidates& candidates, const RankedSchedule& best) {
  const Bytes most = best.most.peak_memory;
  const RankedSchedule* found = fastest(candidates, [&](const RankedSchedule& c) {
    return c.safe() && c.most.peak_memory.count <= most.count / 10 * 9 && c.most.peak_memory < most;
  });
  if (!found) return {};
  return fmt::format("; {} needs {} less memory and takes {} longer", found->name(),
                     less(found->most.peak_memory, most), more(found->time, best.time));
}

/// A faster one that does not fit in memory.
std::string large(const Candidates& candidates, const RankedSchedule& best) {
  const RankedSchedule* found = fastest(candidates, [&](const RankedSchedule& c) {
    return c.result->synchronous && !c.result->fit.feasible && c.result->fit.suits_devices &&
           c.time < best.time;
  });
  if (!found) return {};
  return fmt::format("; {} would be {} faster, but needs {} of memory", found->name(),
                     less(found->time, best.time), human(found->most.peak_memory));
}

/// A faster one that these devices cannot run.
std::string streaming(const Candidates& candidates, const RankedSchedule& best) {
  const RankedSchedule* found = fastest(candidates, [&](const RankedSchedule& c) {
    return c.result->fit.feasible && !c.result->fit.suits_devices && c.time < best.time;
  });
  if (!found) return {};
  return fmt::format("; {} would be {} faster on devices that send while they compute (FPGAs)",
                     found->name(), less(found->time, best.time));
}

/// Returns what else could be had, and its price.
std::string trade_offs(const Candidates& candidates, const RankedSchedule& best) {
  return asynchronous(candidates, best) + lean(candidates, best) + large(candidates, best) +
         streaming(candidates, best);
}

/// To measure both would tell nobody anything that is predicted.
bool gives_the_same(const RankedSchedule& a, const RankedSchedule& b) {
  return a.time == b.time && a.most == b.most;
}

/// Who may be as fast as the best of those that can be taken.
std::string alike(const Candidates& candidates, const RankedSchedule& best) {
  std::vector<TimedName> others;
  for (const RankedSchedule& c : candidates)
    if (c.safe() && !gives_the_same(c, best)) others.push_back({c.name(), in_seconds(c.time)});
  const auto& known = best.result->ranges.uncertainty;
  const std::string text = shared_rank_text({best.name(), in_seconds(best.time)}, others,
                                            known ? own_deviation(known->regime) : own_deviation());
  return text.empty() ? text : '\n' + text;
}

}  // namespace

std::string recommendation(std::span<const Row> rows) { return recommendation(ranked(rows)); }

std::string recommendation(const Candidates& candidates) {
  if (candidates.empty()) return {};
  const RankedSchedule* best = to_take(candidates);
  if (!best) return nothing_fits(candidates);
  if (!best->safe()) return only_asynchronous(*best);
  if (candidates.size() == 1)
    return fmt::format("Take {}, the only one that can run here: {} an iteration.", best->name(),
                       human(best->time));
  return fmt::format("Take {}, at {} an iteration the fastest synchronous schedule{}{}.",
                     best->name(), human(best->time),
                     memory_is_known(*best->result) ? " that fits" : "",
                     trade_offs(candidates, *best)) +
         alike(candidates, *best);
}

}  // namespace pipewright
