// Events in order of time, for a clock that never goes back: a radix heap.
//
// Bucket k > 0 holds the events whose time differs from the present in bit k - 1 and in none above
// it; bucket 0 those of the present. When bucket 0 is empty the present moves to the earliest time
// of the lowest bucket, whose events all move to lower ones: no event moves more than 63 times, few
// more than five, and none is compared with another. Events of one time come out by id.
//
// Source: Ahuja, Mehlhorn, Orlin, Tarjan, Faster algorithms for the shortest path problem, J. ACM
// 37 (1990) 213-223.
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
  bool empty() const { return filled_ == 0; }
  /// There are events at the time that was taken last.
  bool more_now() const { return filled_ & 1; }

  /// The earliest time, without taking it; the longest time when empty.
  Time next() {
    if (!knows_next_)
      next_ = empty() ? longest_time : earliest(buckets_[std::countr_zero(filled_)]);
    knows_next_ = true;
    return next_;
  }

  /// `time` must not lie before what was taken last.
  void push(Time time, uint32_t id) {
    const int bucket = std::bit_width(static_cast<uint64_t>(time.ps ^ now_.ps));
    buckets_[bucket].push_back({time, id});
    filled_ |= uint64_t{1} << bucket;
    next_ = std::min(next_, time);
  }

  /// Takes all events of the earliest time into `ids`, in order, and returns that time.
  Time take(std::vector<uint32_t>& ids) {
    if (!more_now()) advance();
    knows_next_ = false;
    ids.clear();
    for (const Event& event : buckets_[0]) ids.push_back(event.id);
    buckets_[0].clear();
    filled_ &= ~uint64_t{1};
    if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
    return now_;
  }

 private:
  struct Event {
    Time time;
    uint32_t id;
  };

  static Time earliest(const std::vector<Event>& bucket) {
    Time time = bucket.front().time;
    for (const Event& event : bucket) time = std::min(time, event.time);
    return time;
  }

  void advance() {
    const int lowest = std::countr_zero(filled_);
    std::vector<Event>& bucket = buckets_[lowest];
    now_ = knows_next_ ? next_ : earliest(bucket);
    filled_ &= ~(uint64_t{1} << lowest);
    for (const Event& event : bucket) push(event.time, event.id);
    bucket.clear();
  }

  Time now_;
  Time next_ = longest_time;  ///< as far as it is known
  bool knows_next_ = true;
  uint64_t filled_ = 0;  ///< bit k: bucket k holds something
  std::array<std::vector<Event>, 64> buckets_;
};

}  // namespace pipewright
