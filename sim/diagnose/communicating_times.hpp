// When a device communicates, for those who ask what it does meanwhile.
#pragma once

#include <utility>
#include <vector>

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {

/// A stream starts what waits for an event of another within this: most take up to 10 us.
inline constexpr Time after_event = microseconds(20);

/// The times in which a device communicates or copies.
class Moving {
 public:
  void add(const DeviceOp& op) {
    if (!op.computes()) all_.emplace_back(op.start, op.end);
  }
  /// Ends the adding.
  void sort();
  /// What of the time between is none of them.
  Time still(Time begin, Time end) const;

 private:
  std::vector<std::pair<Time, Time>> all_;
};

/// When collectives of one traffic run on a device.
class CollectiveTimes {
 public:
  explicit CollectiveTimes(Traffic traffic) : traffic_(traffic) {}
  void add(const DeviceOp& op) {
    if (op.communicates && op.traffic == traffic_) all_.emplace_back(op.end, op.start);
  }
  /// Ends the adding.
  void sort();
  /// Whether one ends after `end` and right before `start`: what starts then waited for it.
  bool hold_up(Time end, Time start) const;
  /// Whether one runs at any time between.
  bool run_between(Time begin, Time end) const;

 private:
  Traffic traffic_;
  std::vector<std::pair<Time, Time>> all_;  ///< end and start
};

}  // namespace pipewright::diagnose
