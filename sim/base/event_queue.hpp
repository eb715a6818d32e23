// Events in order of time, for a clock that never goes back: a radix heap of digits of six bits.
//
// An event lies at the level of the highest digit in which its time differs from the present, in
// the slot of its own digit there; events of the present and of its next 63 picoseconds lie at
// level 0, each slot of one time. When level 0 is empty the present moves to the earliest time of
// the lowest slot of the lowest level, whose events all move to lower levels: no event moves more
// than ten times, few more than three, and none is compared with another. Events of one time come
// out by id.
//
// Source: Ahuja, Mehlhorn, Orlin, Tarjan, Faster algorithms for the shortest path problem, J. ACM
// 37 (1990) 213-223, section 3: its two-level heap, with as many levels as a time has digits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

class EventQueue {
 public:
  bool empty() const { return levels_ == 0; }
  /// There are events at the time that was taken last.
  bool more_now() const { return filled_[0] >> digit(now_, 0) & 1; }

  /// The earliest time, without taking it; the longest time when empty.
  Time next() {
    if (!knows_next_) next_ = empty() ? longest_time : earliest();
    knows_next_ = true;
    return next_;
  }

  /// `time` must not lie before what was taken last.
  void push(Time time, uint32_t id) {
    const int level = level_of(time);
    const int slot = digit(time, level);
    slots_[level][slot].push_back({time, id});
    filled_[level] |= uint64_t{1} << slot;
    levels_ |= 1u << level;
    next_ = std::min(next_, time);
  }

  /// Takes all events of the earliest time into `ids`, in order, and returns that time.
  Time take(std::vector<uint32_t>& ids) {
    ids.clear();
    const int level = std::countr_zero(levels_);
    const int slot = std::countr_zero(filled_[level]);
    std::vector<Event>& events = slots_[level][slot];
    now_ = level > 0 && knows_next_ ? next_ : earliest(events);
    knows_next_ = false;
    filled_[level] &= filled_[level] - 1;
    if (filled_[level] == 0) levels_ &= levels_ - 1;
    for (const Event& event : events) {
      if (event.time == now_)
        ids.push_back(event.id);
      else
        push(event.time, event.id);
    }
    events.clear();
    if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
    return now_;
  }

 private:
  static constexpr int bits = 6, most_levels = 11;

  struct Event {
    Time time;
    uint32_t id;
  };

  static int digit(Time time, int level) {
    return static_cast<int>(time.ps >> (bits * level) & ((1 << bits) - 1));
  }
  int level_of(Time time) const {
    return (std::bit_width(static_cast<uint64_t>(time.ps ^ now_.ps) | 1) - 1) / bits;
  }
  static Time earliest(const std::vector<Event>& events) {
    Time time = events.front().time;
    for (const Event& event : events) time = std::min(time, event.time);
    return time;
  }
  Time earliest() const {
    const int level = std::countr_zero(levels_);
    return earliest(slots_[level][std::countr_zero(filled_[level])]);
  }

  Time now_;
  Time next_ = longest_time;  ///< as far as it is known
  bool knows_next_ = true;
  uint32_t levels_ = 0;                         ///< bit l: level l holds something
  std::array<uint64_t, most_levels> filled_{};  ///< by level, bit s: slot s holds something
  std::array<std::array<std::vector<Event>, 1 << bits>, most_levels> slots_;
};

}  // namespace pipewright
