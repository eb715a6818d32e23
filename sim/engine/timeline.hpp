// The result of an executor, simulated or live: when every op became ready, started and ended.
#pragma once

#include <algorithm>
#include <cstdint>
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
/// period. Spans have it once, and what comes later follows it at once.
struct Repetition {
  Time begin, period;
  int64_t again = 0;  ///< periods that are left out

  bool has(const Span& span) const { return span.start >= begin && span.start < begin + period; }
};

struct Timeline {
  std::vector<Span> spans;                   ///< by op
  std::string executor;                      ///< "simulated", "cpu", "cuda"
  std::vector<Repetition> repetitions = {};  ///< in the order of time

  /// Returns the end of the run.
  Time end() const {
    Time last;
    for (const Span& span : spans) last = std::max(last, span.end);
    return unfolded(last);
  }
  /// Returns how often what has `span` happens.
  int64_t times(const Span& span) const {
    for (const Repetition& repetition : repetitions)
      if (repetition.has(span)) return 1 + repetition.again;
    return 1;
  }
  /// Returns the time that `at` stands for, with all that is left out before it.
  Time unfolded(Time at) const {
    Time time = at;
    for (const Repetition& repetition : repetitions)
      if (at >= repetition.begin + repetition.period) time += repetition.again * repetition.period;
    return time;
  }
  /// Returns the time of the spans at which the same happens as `at`.
  Time folded(Time at) const {
    for (const Repetition& repetition : repetitions) {
      const Time once = repetition.begin + repetition.period;
      const Time left_out = repetition.again * repetition.period;
      if (at < once) break;
      if (at < once + left_out)
        return {at.ps - (at - repetition.begin).ps / repetition.period.ps * repetition.period.ps};
      at -= left_out;
    }
    return at;
  }
};

}  // namespace pipewright
