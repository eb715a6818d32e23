// How far a run has come, and whether it gets on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace pipewright::transport {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Progress(std::chrono::milliseconds watchdog) : watchdog_(watchdog) {}

  /// Notes the own count. From the first on, somebody has to get on; an empty one ends that.
  void note(std::optional<uint64_t> count) {
    if (count != count_) note_other();
    count_ = count;
  }
  /// Another rank has got on.
  void note_other() { moved_ = Clock::now(); }
  uint64_t count() const { return count_.value_or(0); }

  void be_patient(std::chrono::milliseconds more) { patience_ = more; }
  std::chrono::milliseconds watchdog() const { return watchdog_; }
  /// The time for which nothing may end.
  std::chrono::milliseconds most() const { return watchdog_ + patience_; }
  /// Tells whether nobody has got on for so much longer than that.
  bool is_stuck(Clock::time_point now, Clock::duration longer) const {
    return count_ && now - moved_ >= most() + longer;
  }

 private:
  std::chrono::milliseconds watchdog_, patience_{0};
  std::optional<uint64_t> count_;
  Clock::time_point moved_ = Clock::now();
};

}  // namespace pipewright::transport
