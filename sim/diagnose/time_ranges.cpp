#include "diagnose/time_ranges.hpp"

#include <algorithm>

namespace pipewright::diagnose {

void TimeRanges::join(Time gap) {
  std::ranges::sort(all_);
  std::vector<TimeRange> joined;
  for (const TimeRange& one : all_) {
    if (!joined.empty() && one.begin <= joined.back().end + gap)
      joined.back().end = std::max(joined.back().end, one.end);
    else
      joined.push_back(one);
  }
  all_ = std::move(joined);
}

bool TimeRanges::hold(Time at) const {
  const Iterator found = first_after(at);
  return found != all_.end() && found->begin <= at;
}

Time TimeRanges::within(Time begin, Time end) const {
  Time sum;
  for (auto one = first_after(begin); one != all_.end() && one->begin < end; ++one)
    sum += std::min(one->end, end) - std::max(one->begin, begin);
  return sum;
}

Time TimeRanges::within_both(const TimeRanges& others, Time begin, Time end) const {
  Time sum;
  for (auto one = first_after(begin); one != all_.end() && one->begin < end; ++one)
    sum += others.within(std::max(one->begin, begin), std::min(one->end, end));
  return sum;
}

TimeRanges::Iterator TimeRanges::first_after(Time time) const {
  return std::ranges::upper_bound(all_, time, {}, &TimeRange::end);
}

}  // namespace pipewright::diagnose
