// The packets that a sender may have on their way, and how long it waits for them (AIMD and
// time-out of RFC 5681 and 6298, as packet_network.hpp says).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.hpp"

namespace pipewright {

class CongestionWindow {
 public:
  explicit CongestionWindow(double packets = 1) : packets_(packets), threshold_(packets) {}

  bool has_room(uint32_t in_flight) const { return in_flight + 1 <= packets_; }
  double packets() const { return packets_; }
  void grow() {
    const bool starts_slowly = packets_ < threshold_;
    packets_ += starts_slowly ? 1 : 1 / packets_;
  }
  /// Halves for the loss of a transmission, but once for all that were on their way together;
  /// `transmissions` have been made so far.
  void halve(uint32_t transmission, uint32_t transmissions) {
    if (transmission < recovery_) return;
    packets_ = threshold_ = std::max(1.0, packets_ / 2);
    recovery_ = transmissions;
  }
  /// Starts again after a time-out, before which it had `before` packets.
  void collapse(double before, uint32_t transmissions) {
    threshold_ = std::max(2.0, before / 2);
    packets_ = 1;
    recovery_ = transmissions;
  }

 private:
  double packets_, threshold_;
  uint32_t recovery_ = 0;  ///< losses of earlier transmissions have halved it already
};

class RetransmissionTimer {
 public:
  RetransmissionTimer() = default;
  explicit RetransmissionTimer(Time patience) : patience_(patience) {}

  Time deadline() const { return deadline_; }
  void restart(Time now) {
    const int64_t factor = int64_t{1} << backoff_;
    Time patience = longest_time;
    if (patience_.ps <= longest_time.ps / factor) patience = patience_ * factor;
    deadline_ = patience <= longest_time - now ? now + patience : longest_time;
  }
  void acknowledge(Time now) {
    backoff_ = 0;
    restart(now);
  }
  void back_off(Time now) {
    backoff_ = std::min(backoff_ + 1, most_backoff);
    restart(now);
  }

 private:
  static constexpr int most_backoff = 16;  ///< the longest time-out is 2^16 times the first
  Time patience_, deadline_ = longest_time;
  int backoff_ = 0;
};

}  // namespace pipewright
