#include <algorithm>
#include <queue>

#include "engine/contention.hpp"

namespace pipewright {
namespace {

constexpr double tolerance = 1e-9;

struct Interval {
  Time start, end;
  double rate;
};

bool earlier(const Interval& a, const Interval& b) { return a.start < b.start; }

/// When the bytes of each way move.
class Movements {
 public:
  Movements(const Contention& contention, std::span<const Time> duration, const Timeline& timeline)
      : offset_(contention.ways.size() + 1) {
    for (const uint32_t way : contention.way_of)
      if (way != none) ++offset_[way + 1];
    for (size_t way = 1; way < offset_.size(); ++way) offset_[way] += offset_[way - 1];
    all_.resize(offset_.back());
    std::vector<uint32_t> next(offset_.begin(), offset_.end() - 1);
    for (OpId op = 0; op < contention.way_of.size(); ++op) {
      const uint32_t way = contention.way_of[op];
      if (way == none) continue;
      const Time end = timeline.spans[op].end;
      const Time moving = std::min(duration[op], moving_time(contention.ways[way]));
      all_[next[way]++] = {end - moving, end, 1};
    }
  }

  std::span<const Interval> of(uint32_t way) const {
    return {all_.data() + offset_[way], all_.data() + offset_[way + 1]};
  }

 private:
  std::vector<uint32_t> offset_;
  std::vector<Interval> all_;
};

/// The most that goes over a link at one time. What ends as another begins does not meet it.
bool ever_exceeds(std::span<const Interval> by_start, double capacity) {
  const auto later = [](const Interval& a, const Interval& b) { return a.end > b.end; };
  std::priority_queue<Interval, std::vector<Interval>, decltype(later)> under_way(later);
  double sum = 0;
  for (const Interval& interval : by_start) {
    if (interval.start == interval.end) continue;
    while (!under_way.empty() && under_way.top().end <= interval.start) {
      sum -= under_way.top().rate;
      under_way.pop();
    }
    if (under_way.empty()) sum = 0;
    sum += interval.rate;
    if (sum > capacity * (1 + tolerance)) return true;
    under_way.push(interval);
  }
  return false;
}

/// Whether two of them are under way at one time.
bool overlap(std::span<const Interval> by_start) {
  for (size_t k = 1; k < by_start.size(); ++k)
    if (by_start[k].start < by_start[k - 1].end) return true;
  return false;
}

bool channels_overlap(const Contention& contention, const Movements& movements) {
  std::vector<std::vector<Interval>> by_channel(contention.channels);
  for (uint32_t way = 0; way < contention.ways.size(); ++way) {
    if (contention.ways[way].channel == none) continue;
    for (const Interval& interval : movements.of(way))
      if (interval.start < interval.end)
        by_channel[contention.ways[way].channel].push_back(interval);
  }
  return std::ranges::any_of(by_channel, [](std::vector<Interval>& intervals) {
    std::sort(intervals.begin(), intervals.end(), earlier);
    return overlap(intervals);
  });
}

}  // namespace

Time moving_time(const Way& way) { return seconds(way.bytes / way.bandwidth); }

bool is_free_of_contention(const Contention& contention, std::span<const Time> duration,
                           const Timeline& timeline) {
  const Movements movements(contention, duration, timeline);
  std::vector<Interval> intervals;
  for (const SharedLink& link : contention.links) {
    intervals.clear();
    for (const SharedLink::Load& load : link.loads) {
      const Way& way = contention.ways[load.way];
      for (Interval interval : movements.of(load.way)) {
        interval.rate = load.bytes / way.bytes * way.bandwidth * load.times;
        intervals.push_back(interval);
      }
    }
    if (!std::is_sorted(intervals.begin(), intervals.end(), earlier))
      std::sort(intervals.begin(), intervals.end(), earlier);
    if (ever_exceeds(intervals, link.capacity)) return false;
  }
  return !channels_overlap(contention, movements);
}

}  // namespace pipewright
