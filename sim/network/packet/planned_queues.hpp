// Queues whose packets leave in the order in which they come, so that each is told when it leaves
// as it comes: no event has to look after the queue. What they hold now follows from that.
#pragma once

#include <vector>

#include "base/units.hpp"

namespace pipewright {

class PlannedQueues {
 public:
  explicit PlannedQueues(size_t ports) : queues_(ports) {}

  /// Puts a packet of `bytes` behind all others of the port, which it leaves at `leaves`.
  void add(uint32_t port, Time leaves, Bytes bytes) {
    queues_[port].packets.push_back({leaves, bytes});
    queues_[port].bytes += bytes;
  }
  /// Returns what waits at a port at `now`, which never goes back: what leaves now does not.
  Bytes waiting(uint32_t port, Time now) {
    Queue& queue = queues_[port];
    while (queue.first < queue.packets.size() && queue.packets[queue.first].leaves <= now)
      queue.bytes -= queue.packets[queue.first++].bytes;
    if (2 * queue.first >= queue.packets.size()) {
      queue.packets.erase(queue.packets.begin(),
                          queue.packets.begin() + static_cast<std::ptrdiff_t>(queue.first));
      queue.first = 0;
    }
    return queue.bytes;
  }
  /// Counts the packets that wait at `now` at all ports.
  uint64_t count(Time now) const {
    uint64_t packets = 0;
    for (const Queue& queue : queues_)
      for (const Packet& packet : queue.packets) packets += packet.leaves > now;
    return packets;
  }

 private:
  struct Packet {
    Time leaves;
    Bytes bytes;
  };
  struct Queue {
    std::vector<Packet> packets;  ///< ascending in time; from `first` on they wait
    size_t first = 0;
    Bytes bytes;
  };

  std::vector<Queue> queues_;  // by port
};

}  // namespace pipewright
