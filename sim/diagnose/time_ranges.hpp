// When something goes on, as ranges of time of which no two overlap.
#pragma once

#include <vector>

#include "base/units.hpp"

namespace pipewright::diagnose {

struct TimeRange {
  Time begin, end;
  auto operator<=>(const TimeRange&) const = default;
};

class TimeRanges {
 public:
  using Iterator = std::vector<TimeRange>::const_iterator;

  void add(Time begin, Time end) { all_.push_back({begin, end}); }
  /// Ends the adding. Those that overlap are one, and so are those that are no more than `gap`
  /// apart.
  void join(Time gap = {});

  /// Whether one of them has the time. What stands at the end of one is behind it.
  bool hold(Time at) const;
  /// How much of the time between `begin` and `end` they have.
  Time within(Time begin, Time end) const;
  /// How much of it both have.
  Time within_both(const TimeRanges& others, Time begin, Time end) const;

  /// The first that ends after `time`, and those behind it.
  Iterator first_after(Time time) const;
  Iterator end() const { return all_.end(); }

 private:
  std::vector<TimeRange> all_;
};

}  // namespace pipewright::diagnose
