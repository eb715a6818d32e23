// Packets that are somewhere, in flat memory that grows to the most there ever are at one time.
#pragma once

#include <cstdint>
#include <vector>

namespace pipewright {

using PacketId = uint32_t;
inline constexpr uint32_t no_packet = UINT32_MAX;

enum class PacketState : uint8_t {
  in_flight,  ///< or delivered, and its acknowledgement is in flight
  dropped,
  to_repeat,  ///< known to be lost
  given_up,   ///< timed out, but still in flight: nobody waits for it
};

struct PacketHop;

struct Packet {
  // What every port asks for, which its flow would tell as well.
  const PacketHop* hops = nullptr;  ///< of its route
  uint16_t hop_count = 0;
  uint8_t priority = 0;
  bool is_whole = false;  ///< of the greatest size

  PacketId next = no_packet;    ///< among its sender's, or among those that are free
  PacketId behind = no_packet;  ///< in the queue where it waits
  uint32_t flow = 0, number = 0;
  uint32_t transmission = 0;  ///< counts a flow's packets as they are sent
  uint32_t route = 0;
  uint16_t hop = 0;
  PacketState state = PacketState::in_flight;
  bool marked = false;
};

class PacketPool {
 public:
  Packet& operator[](PacketId id) { return packets_[id]; }
  const Packet& operator[](PacketId id) const { return packets_[id]; }

  /// Invalidates references to packets, not their ids.
  PacketId take() {
    if (free_ == no_packet) {
      packets_.emplace_back();
      return static_cast<PacketId>(packets_.size() - 1);
    }
    const PacketId id = free_;
    free_ = packets_[id].next;
    packets_[id] = {};
    return id;
  }
  void give_back(PacketId id) {
    packets_[id].next = free_;
    free_ = id;
  }

 private:
  std::vector<Packet> packets_;
  PacketId free_ = no_packet;
};

/// First in, first out, linked through the packets.
template <PacketId Packet::*link>
struct LinkedPackets {
  PacketId head = no_packet, tail = no_packet;

  bool empty() const { return head == no_packet; }
  void push(PacketPool& pool, PacketId id) {
    pool[id].*link = no_packet;
    (empty() ? head : pool[tail].*link) = id;
    tail = id;
  }
  PacketId pop(PacketPool& pool) {
    const PacketId id = head;
    head = pool[id].*link;
    if (empty()) tail = no_packet;
    return id;
  }
};
using PacketList = LinkedPackets<&Packet::next>;
using PacketQueue = LinkedPackets<&Packet::behind>;

}  // namespace pipewright
