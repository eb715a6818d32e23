// Pause frames (PFC, IEEE 802.1Qbb): a queue that holds more than so many bytes stops the ports
// that feed it, each for the queue's priority, until it holds no more than that.
//
// A frame takes the latency of its link and no bandwidth. What is on the link by then still comes,
// so a queue needs that much room beyond the bytes at which it pauses. A paused port holds up all
// packets of the priority, those for other queues too. Not modelled: the time after which a pause
// ends by itself.
#pragma once

#include <optional>
#include <vector>

#include "network/packet/packet_network.hpp"

namespace pipewright {

class Pauses {
 public:
  /// A port that a queue has stopped, by the link of this latency.
  struct Stopped {
    uint32_t port = 0;
    Time latency;
  };

  Pauses(size_t ports, const PacketOptions& options);

  bool are_on() const { return at_.has_value(); }
  /// Number of a port's priority, for an event.
  uint32_t number(uint32_t port, int priority) const {
    return port * levels_ + static_cast<uint32_t>(priority);
  }
  uint32_t port_of(uint32_t number) const { return number / levels_; }
  int priority_of(uint32_t number) const { return static_cast<int>(number % levels_); }

  /// Notes that a packet has come over `from` into a queue, which holds `bytes` now. True: `from`
  /// is to be stopped, and is none that the queue has stopped before.
  bool stops(uint32_t queue, const Stopped& from, Bytes bytes);
  /// Notes what a queue holds after a packet has left. Returns the ports that may go on.
  std::vector<Stopped> released(uint32_t queue, Bytes bytes);

  /// Counts the queues that stop a port's priority. True: it is the first, or the last.
  bool stop(uint32_t number) { return stopped_by_[number]++ == 0; }
  bool go_on(uint32_t number) { return --stopped_by_[number] == 0; }

 private:
  std::optional<Bytes> at_;
  uint32_t levels_;
  std::vector<std::vector<Stopped>> stopped_;  // by queue
  std::vector<uint32_t> stopped_by_;           // by port and priority
};

}  // namespace pipewright
