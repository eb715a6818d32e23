// Ports and what waits at them: packets in finite queues, and flows that start there and would send
// next. Intrusive lists over flat arrays.
#pragma once

#include "network/packet/packet_network.hpp"
#include "network/packet/packet_pool.hpp"

namespace pipewright {

class Ports {
 public:
  /// The next to go: a packet that waited, or, with `is_flow`, a flow's next one.
  struct Next {
    uint32_t id = 0;
    bool is_flow = false;
  };

  Ports(std::span<const Bandwidth> rates, const PacketOptions& options);

  /// Makes place for the flows below `flows`.
  void expect_flows(size_t flows) { next_flow_.resize(flows, no_packet); }

  bool idle(uint32_t port, Time now) const { return ports_[port].free_at <= now; }
  /// Tells whether something waits that may go.
  bool waits(uint32_t port) const { return free_levels(ports_[port]) != 0; }
  Time free_at(uint32_t port) const { return ports_[port].free_at; }
  /// Occupies an idle port with `bytes` and says until when. Throws Failure beyond the clock.
  Time occupy(uint32_t port, Bytes bytes, Time now);

  /// Puts the packet into the queue.
  void enqueue(uint32_t port, int priority, PacketId packet, Bytes bytes, PacketPool& pool);
  void enqueue_flow(uint32_t port, int priority, uint32_t flow);
  /// Takes out the next of the highest priority; waits() must hold. `bytes` of a packet counts as
  /// leaving the queue when left() is told.
  Next pop(uint32_t port, PacketPool& pool);
  void left(uint32_t port, int priority, Bytes bytes);
  Bytes waiting(uint32_t port, int priority) const {
    return queues_[size_t{port} * levels_ + static_cast<size_t>(priority)].bytes;
  }

  /// Stops a priority of a port, and lets it go on.
  void stop(uint32_t port, int priority) { ports_[port].stopped |= 1u << priority; }
  void go_on(uint32_t port, int priority) { ports_[port].stopped &= ~(1u << priority); }
  bool is_stopped(uint32_t port, int priority) const {
    return (ports_[port].stopped >> priority & 1) != 0;
  }

  /// Tells whether an event is due at free_at().
  bool& is_due(uint32_t port) { return ports_[port].is_due; }

 private:
  struct Port {
    Bandwidth rate;
    double whole_ps = 0;  ///< what a packet of the greatest size takes
    double rounding =
        0.5;  ///< ps that the last packet took too little, so that errors never add up
    Time free_at{-1};
    uint32_t levels = 0;   ///< bit p: something of priority p waits
    uint32_t stopped = 0;  ///< bit p: nothing of priority p may go
    bool is_due = false;
    bool flows_turn = false;
  };
  struct Queue {
    PacketQueue packets;
    Bytes bytes;
    uint32_t first_flow = no_packet, last_flow = no_packet;
  };
  static uint32_t free_levels(const Port& port) { return port.levels & ~port.stopped; }
  Queue& queue(uint32_t port, int priority) {
    return queues_[size_t{port} * levels_ + static_cast<size_t>(priority)];
  }
  uint32_t pop_flow(Queue& queue);

  Bytes mtu_;
  size_t levels_;
  std::vector<Port> ports_;
  std::vector<Queue> queues_;
  std::vector<uint32_t> next_flow_;  // by flow
};

}  // namespace pipewright
