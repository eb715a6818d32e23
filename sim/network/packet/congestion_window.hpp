// The packets that a sender may have on their way, and how long it waits for them (AIMD and
// time-out of RFC 5681 and 6298, marks of RFC 8257, as packet_network.hpp says).
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
    shrink(0.5, transmission, transmissions);
  }
  /// Becomes `part` of what it was, but once for all that were on their way together.
  void shrink(double part, uint32_t transmission, uint32_t transmissions) {
    if (transmission < recovery_) return;
    packets_ = threshold_ = std::max(1.0, packets_ * part);
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

/// The share of a sender's packets that found long queues.
class MarkedShare {
 public:
  double share() const { return share_; }
  /// Counts an acknowledgement; `transmissions` have been made so far.
  void acknowledge(bool marked, uint32_t transmission, uint32_t transmissions) {
    ++acknowledged_;
    marked_ += marked ? 1 : 0;
    if (transmission < end_of_window_) return;
    share_ += gain * (static_cast<double>(marked_) / acknowledged_ - share_);
    acknowledged_ = marked_ = 0;
    end_of_window_ = transmissions;
  }

 private:
  static constexpr double gain = 1.0 / 16;  // g of RFC 8257, section 4.2
  double share_ = 1;                        // section 3.3: to begin with
  uint32_t acknowledged_ = 0, marked_ = 0, end_of_window_ = 0;
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
