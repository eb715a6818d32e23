// What happens to packets between two ports: they wait, are marked, find no room, go on.
#include <algorithm>

#include "base/clock_exceeded.hpp"
#include "network/packet/marking.hpp"
#include "network/packet/packet_simulation.hpp"

namespace pipewright {

/// Stops the port that the packet came over, where it has filled the queue.
void PacketSimulation::pause_behind(const Packet& packet, uint32_t port) {
  const int priority = packet.priority;
  const PacketHop& before = packet.hops[packet.hop - 1u];
  const Pauses::Stopped from{before.port, before.latency};
  if (pauses_.stops(pauses_.number(port, priority), from, ports_.waiting(port, priority)))
    push(later(now_, from.latency), Kind::pause, pauses_.number(from.port, priority));
}

void PacketSimulation::resume_behind(uint32_t port, int priority) {
  for (const Pauses::Stopped& from :
       pauses_.released(pauses_.number(port, priority), ports_.waiting(port, priority)))
    push(later(now_, from.latency), Kind::resumption, pauses_.number(from.port, priority));
}

/// Puts the packet on its port, from `begin` on.
void PacketSimulation::transmit(PacketId id, Time begin) {
  const Packet& packet = pool_[id];
  const PacketHop& hop = packet.hops[packet.hop];
  const Time end = ports_.occupy(hop.port, size_of(packet), begin);
  ++sent_;
  ensure(id <= number_of, "packets are numbered");
  push(later(end, hop.latency), Kind::arrival, id);
}

/// Tells whether a queue that holds `waiting` takes the packet, and marks it where that is long.
bool PacketSimulation::finds_room(Packet& packet, Bytes waiting) const {
  if (is_marked(packet, waiting, options_)) {
    if (is_small(packet, options_)) return false;
    packet.marked = true;
  }
  return waiting + size_of(packet) <= options_.queue;
}

/// Sends the packet on; false where it finds no room.
bool PacketSimulation::goes_on(PacketId id, uint32_t port) {
  if (serves_in_order(port)) return goes_on_in_order(id, port);
  Packet& packet = pool_[id];
  const int priority = packet.priority;
  if (ports_.idle(port, now_) && !ports_.waits(port) && !ports_.is_stopped(port, priority)) {
    transmit(id, now_);
    return true;
  }
  if (!finds_room(packet, ports_.waiting(port, priority))) return false;
  ports_.enqueue(port, priority, id, size_of(packet), pool_);
  if (pauses_.are_on()) pause_behind(packet, port);
  if (ports_.waits(port)) wake(port);
  return true;
}

bool PacketSimulation::goes_on_in_order(PacketId id, uint32_t port) {
  const Time begin = std::max(ports_.free_at(port), now_);
  if (begin > now_) {
    Packet& packet = pool_[id];
    if (!finds_room(packet, planned_.waiting(port, now_))) return false;
    planned_.add(port, begin, size_of(packet));
  }
  transmit(id, begin);
  return true;
}

}  // namespace pipewright
