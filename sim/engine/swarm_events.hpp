// What happens in a swarm, in the order of time; at one time in the order in which it was said.
// Internal to swarm.cpp and its parts.
#pragma once

#include <map>
#include <optional>

#include "base/units.hpp"

namespace pipewright::swarm {

inline constexpr int nobody = -1;

/// One pass of one micro-batch.
struct Task {
  int micro_batch = 0, stage = 0;
  bool backward = false;
  int from = nobody;  ///< the peer that has its input
};

enum class What : uint8_t { arrives, computed, leaves, returns, is_ready, rebalance, step_begins };

struct Event {
  What what = What::arrives;
  int peer = nobody;
  uint32_t epoch = 0;
  Task task;
};

class Events {
 public:
  Time now() const { return now_; }
  /// Returns the time that comes `by` after now, or longest_time where there is none.
  Time after(Time by) const { return by > longest_time - now_ ? longest_time : now_ + by; }
  /// An event at longest_time never happens.
  void at(Time time, const Event& event) {
    if (time < longest_time) events_.emplace(std::pair(time, ++pushed_), event);
  }
  /// Takes the next event and goes to its time; nothing where none is left.
  std::optional<Event> next() {
    if (events_.empty()) return std::nullopt;
    const auto first = events_.begin();
    now_ = first->first.first;
    const Event event = first->second;
    events_.erase(first);
    return event;
  }

 private:
  Time now_;
  uint64_t pushed_ = 0;
  std::map<std::pair<Time, uint64_t>, Event> events_;
};

}  // namespace pipewright::swarm
