#include <algorithm>
#include <queue>

#include "engine/contention.hpp"

namespace pipewright {
namespace {

struct Interval {
  Time start, end;
  double rate;
};

bool earlier(const Interval& a, const Interval& b) { return a.start < b.start; }

/// The intervals in which the bytes of each route move.
class Movements {
 public:
  Movements(const Contention& contention, std::span<const Time> duration, const Timeline& timeline)
      : offset_(contention.routes.size() + 1) {
    for (const uint32_t route : contention.route_of)
      if (route != none) ++offset_[route + 1];
    for (size_t route = 1; route < offset_.size(); ++route) offset_[route] += offset_[route - 1];
    all_.resize(offset_.back());
    std::vector<uint32_t> next(offset_.begin(), offset_.end() - 1);
    for (OpId op = 0; op < contention.route_of.size(); ++op) {
      const uint32_t route = contention.route_of[op];
      if (route == none) continue;
      const Time end = timeline.spans[op].end;
      const Time moving = std::min(duration[op], moving_time(contention.routes[route]));
      all_[next[route]++] = {end - moving, end, 1};
    }
  }

  std::span<const Interval> of(uint32_t route) const {
    return {all_.data() + offset_[route], all_.data() + offset_[route + 1]};
  }

 private:
  std::vector<uint32_t> offset_;
  std::vector<Interval> all_;
};

/// Merges the ascending runs that it consists of: those of each route.
void sort_runs(std::vector<Interval>& intervals) {
  std::vector<size_t> ends;
  for (size_t k = 1; k <= intervals.size(); ++k)
    if (k == intervals.size() || earlier(intervals[k], intervals[k - 1])) ends.push_back(k);
  const auto at = [&](size_t k) { return intervals.begin() + static_cast<std::ptrdiff_t>(k); };
  while (ends.size() > 1) {
    size_t begin = 0, merged = 0;
    for (size_t run = 0; run < ends.size(); run += 2) {
      const size_t last = std::min(run + 1, ends.size() - 1);
      std::inplace_merge(at(begin), at(ends[run]), at(ends[last]), earlier);
      begin = ends[merged++] = ends[last];
    }
    ends.resize(merged);
  }
}

/// Returns when the intervals that start before `limit` first exceed the capacity. An interval that
/// ends as another begins does not meet it.
Time first_excess_of(std::span<const Interval> by_start, double capacity, Time limit) {
  const auto later = [](const Interval& a, const Interval& b) { return a.end > b.end; };
  std::priority_queue<Interval, std::vector<Interval>, decltype(later)> in_flight(later);
  double sum = 0;
  for (const Interval& interval : by_start) {
    if (interval.start >= limit) break;
    if (interval.start == interval.end) continue;
    while (!in_flight.empty() && in_flight.top().end <= interval.start) {
      sum -= in_flight.top().rate;
      in_flight.pop();
    }
    if (in_flight.empty()) sum = 0;
    sum += interval.rate;
    if (sum > capacity * (1 + load_tolerance)) return interval.start;
    in_flight.push(interval);
  }
  return limit;
}

/// Returns when one of the intervals begins while another moves, if that is before `limit`.
Time first_overlap_of(std::span<const Interval> by_start, Time limit) {
  for (size_t k = 1; k < by_start.size() && by_start[k].start < limit; ++k)
    if (by_start[k].start < by_start[k - 1].end) return by_start[k].start;
  return limit;
}

/// Returns the first overlap of messages over one channel.
Time first_overlap(const Contention& contention, const Movements& movements, Time limit) {
  std::vector<std::vector<uint32_t>> routes_of(contention.channels);
  for (uint32_t route = 0; route < contention.routes.size(); ++route)
    if (contention.routes[route].channel != none)
      routes_of[contention.routes[route].channel].push_back(route);
  std::vector<Interval> intervals;
  for (const std::vector<uint32_t>& routes : routes_of) {
    intervals.clear();
    for (const uint32_t route : routes)
      for (const Interval& interval : movements.of(route))
        if (interval.start < interval.end && interval.start < limit) intervals.push_back(interval);
    sort_runs(intervals);
    limit = first_overlap_of(intervals, limit);
  }
  return limit;
}

}  // namespace

Time moving_time(const SharedRoute& route) { return seconds(route.bytes / route.bandwidth); }

Time first_excess(const Contention& contention, std::span<const Time> duration,
                  const Timeline& timeline) {
  const Movements movements(contention, duration, timeline);
  std::vector<Interval> intervals;
  Time first = longest_time;
  for (const SharedLink& link : contention.links) {
    intervals.clear();
    for (const SharedLink::Load& load : link.loads) {
      const SharedRoute& route = contention.routes[load.route];
      for (Interval interval : movements.of(load.route)) {
        if (interval.start >= first) continue;
        interval.rate = load.bytes / route.bytes * route.bandwidth * load.times;
        intervals.push_back(interval);
      }
    }
    sort_runs(intervals);
    first = first_excess_of(intervals, link.capacity, first);
  }
  return first_overlap(contention, movements, first);
}

}  // namespace pipewright
