// Compute and communication that wait a given time: what is measured is the schedule itself and the
// executor's overhead.
#pragma once

#include <vector>

#include "calibrate/live/executor/executor.hpp"

namespace pipewright::live {

class TimedWork final : public DeviceWork {
 public:
  /// `durations` by op.
  explicit TimedWork(std::vector<Time> durations) : durations_(std::move(durations)) {}
  void compute(OpId op) override { wait(durations_[op]); }
  void communicate(OpId op) override { wait(durations_[op]); }
  bool occupies_core() const override { return false; }

 private:
  /// Sleeps most of the time and watches the clock for the rest, as sleeps end late.
  static void wait(Time time);
  std::vector<Time> durations_;
};

}  // namespace pipewright::live
