// The result of an executor, simulated or live: when every op became ready, started and ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

struct Span {
  Time ready;  ///< everything it comes after had ended
  Time start;  ///< and it was at the head of its lanes
  Time end;
};

/// A period of a timeline that stands for more of them: what starts in it happens again after each
/// period. Spans have it once, and what comes later follows it at once, or after a pause.
struct Repetition {
  Time begin, period;
  int64_t again = 0;  ///< periods that are left out
  Time pause = {};    ///< by which they take longer than what ranks of a shorter period leave out

  Time end() const { return begin + period; }
  bool has(const Span& span) const { return span.start >= begin && span.start < end(); }
  /// Returns the time of what is left out that spans do not have as a pause.
  Time left_out() const { return again * period - pause; }
};

/// The repetitions of ranks that keep one pace, in the order of time. Only one of them where other
/// ranks keep another pace.
using Repetitions = std::span<const Repetition>;

/// Returns what a clock shows `at` a time of the spans, or the spans' time at which it shows `at`,
/// if it stands still in pauses.
inline Time without_pauses(Repetitions repetitions, Time at) {
  for (const Repetition& one : repetitions)
    if (at > one.end()) at = std::max(one.end(), at - one.pause);
  return at;
}
/// An op that starts within a period may end in the pause.
inline Span without_pauses(Repetitions repetitions, const Span& span) {
  if (repetitions.empty()) return span;
  const Time start = without_pauses(repetitions, span.start);
  return {without_pauses(repetitions, span.ready), start, start + (span.end - span.start)};
}
inline Time with_pauses(Repetitions repetitions, Time at) {
  Time time = at;
  for (const Repetition& one : repetitions)
    if (at >= one.end()) time += one.pause;
  return time;
}

/// Returns the pauses between two ops that start at these times, one of which follows the other.
inline Time pause_between(Repetitions repetitions, Time start, Time next_start) {
  Time pause;
  for (const Repetition& one : repetitions)
    if (start < one.end() && next_start >= one.end()) pause += one.pause;
  return pause;
}

struct Timeline {
  std::vector<Span> spans;  ///< by op
  std::string executor;     ///< "simulated", "cpu", "cuda"
  /// By pace that ranks keep. What they leave out takes as long for all paces but for the pauses,
  /// and what ranks of several paces do together comes before all of it or after.
  std::vector<std::vector<Repetition>> paces = {};
  std::vector<uint32_t> pace_of = {};  ///< by rank; empty: all keep one

  Repetitions repetitions(uint32_t rank) const {
    if (paces.empty()) return {};
    return paces[pace_of.empty() ? 0 : pace_of[rank]];
  }
  /// Returns the end of the run.
  Time end() const {
    Time last;
    for (const Span& span : spans) last = std::max(last, span.end);
    return unfolded(0, last);
  }
  /// Returns how often what has `span` on `rank` happens.
  int64_t times(uint32_t rank, const Span& span) const {
    for (const Repetition& repetition : repetitions(rank))
      if (repetition.has(span)) return 1 + repetition.again;
    return 1;
  }
  /// Returns the time that `at` stands for on `rank`, with all that is left out before it.
  Time unfolded(uint32_t rank, Time at) const {
    Time time = at;
    for (const Repetition& repetition : repetitions(rank))
      if (at >= repetition.end()) time += repetition.left_out();
    return time;
  }
  /// Returns the time of the spans of `rank` at which the same happens as `at`.
  Time folded(uint32_t rank, Time at) const {
    for (const Repetition& repetition : repetitions(rank)) {
      if (at < repetition.end()) break;
      if (at < repetition.end() + repetition.left_out())
        return {at.ps - (at - repetition.begin).ps / repetition.period.ps * repetition.period.ps};
      at -= repetition.left_out();
    }
    return at;
  }
};

}  // namespace pipewright
