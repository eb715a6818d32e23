// All that a lane runs, with what a timeline leaves out.
#pragma once

#include <span>

#include "result/result.hpp"

namespace pipewright {

/// Calls `visit(op, shift)` for each op of `lane` in the order of time, as often as it happens,
/// `shift` later than its span says.
template <class Visit>
void visit_unfolded(const Program& program, const Timeline& timeline, LaneId number, Visit visit) {
  const std::span<const OpId> lane = program.order(number);
  size_t next = 0;
  Time shift;
  const auto visit_until = [&](Time end, Time by) {
    size_t k = next;
    for (; k < lane.size() && timeline.spans[lane[k]].start < end; ++k) visit(lane[k], by);
    return k;
  };
  for (const Repetition& repetition : timeline.repetitions(program.lanes[number].rank)) {
    next = visit_until(repetition.begin, shift);
    for (int64_t n = 0; n < repetition.again; ++n, shift += repetition.period)
      visit_until(repetition.end(), shift);
    next = visit_until(repetition.end(), shift);
    shift -= repetition.pause;
  }
  visit_until(longest_time, shift);
}

}  // namespace pipewright
