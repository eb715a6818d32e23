#include "diagnose/communicating_times.hpp"

#include <algorithm>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {
void Moving::sort() { std::ranges::sort(all_); }

Time Moving::still(Time begin, Time end) const {
  Time sum, at = begin;
  for (const auto& [from, to] : all_) {
    if (from >= end) break;
    sum += std::max(from - at, Time{});
    at = std::max(at, to);
  }
  return sum + std::max(end - at, Time{});
}

void CollectiveTimes::sort() { std::ranges::sort(all_); }

bool CollectiveTimes::hold_up(Time end, Time start) const {
  const auto next = std::ranges::upper_bound(all_, std::pair(start + same_time, longest_time));
  if (next == all_.begin()) return false;
  const Time last = std::prev(next)->first;
  return last > end && last + after_event >= start;
}

bool CollectiveTimes::run_between(Time begin, Time end) const {
  const auto first = std::ranges::upper_bound(all_, std::pair(begin, longest_time));
  return std::any_of(first, all_.end(), [end](const auto& one) { return one.second < end; });
}

}  // namespace pipewright::diagnose
