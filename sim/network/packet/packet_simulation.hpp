// Packets of flows that come while they run, for whoever has a clock of its own: a training
// iteration tells which messages begin, and asks which end. packet_network.hpp says what happens to
// packets.
#pragma once

#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/event_queue.hpp"
#include "network/packet/drawn_packet_routes.hpp"
#include "network/packet/packet_network.hpp"
#include "network/packet/pauses.hpp"
#include "network/packet/planned_queues.hpp"
#include "network/packet/ports.hpp"
#include "network/packet/senders.hpp"

namespace pipewright {

class PacketSimulation {
 public:
  /// `ports`: how fast each is.
  PacketSimulation(std::span<const Bandwidth> ports, const PacketOptions& options);

  /// Takes a flow whose routes outlive it, and returns its number: the next, or that of a flow of
  /// which nothing is left. `start` and `after` of the flow count for nothing. Flows of several
  /// priorities, and ones that begin where others pass, come before anything happens.
  uint32_t add(const PacketFlow& flow);
  /// Lets it begin, at a time that is not before what has happened.
  void begin(uint32_t flow, Time time) {
    ensure(time >= now_, "packets do not go back in time");
    push(time, Kind::beginning, flow);
  }
  /// Goes on until flows end or have left their senders, but not beyond `until`. Returns when they
  /// did; `longest_time` where none did. Throws Failure where the clock does not reach.
  Time run(Time until);
  /// Returns the flows that the last run() ended, in the order in which they did.
  const std::vector<uint32_t>& ended() const { return ended_; }
  /// Returns the flows whose last packet went over its first port during the last run(), in the
  /// order in which it did. What is lost of such a flow may still be sent again.
  const std::vector<uint32_t>& left() const { return left_; }

  PacketFlowResult& result(uint32_t flow) { return senders_.result(flow); }
  std::vector<PacketFlowResult> take_results() { return senders_.take_results(); }
  const std::vector<uint64_t>& dropped() const { return dropped_; }  ///< by port
  /// Returns how many packets went over ports, each port counted.
  uint64_t sent() const { return sent_ - planned_.count(now_); }
  uint64_t events() const { return events_; }

 private:
  enum class Kind : uint32_t {
    port_is_free,
    arrival,
    acknowledgement,
    timer,
    beginning,
    pause,
    resumption,
    pace
  };
  struct Flow {
    std::vector<const PacketRoute*> routes;
    Bytes bytes;
    int priority = 0;
    bool is_ready = false;   ///< stands in line at a port
    bool has_timer = false;  ///< in the queue
    bool has_pace = false;   ///< in the queue: it looks again when its rate lets it send
  };

  static constexpr int kind_shift = 29;
  static constexpr uint32_t number_of = (1u << kind_shift) - 1;

  void push(Time time, Kind kind, uint32_t number) {
    queue_.push(time, static_cast<uint32_t>(kind) << kind_shift | number);
  }
  void step();
  void handle(Kind kind, uint32_t number);
  void begin_now(uint32_t flow);
  void look_at_timer(uint32_t flow);
  void set_timer(uint32_t flow);
  void offer(uint32_t flow);
  bool waits_for_rate(uint32_t flow);
  void wake(uint32_t port);
  void serve_all();
  void serve(uint32_t port);
  void serve_flow(uint32_t flow);
  void tell(Packet& packet) const;
  void transmit(PacketId id, Time begin);
  void arrive(PacketId id);
  bool goes_on(PacketId id, uint32_t port);
  bool goes_on_in_order(PacketId id, uint32_t port);
  bool finds_room(Packet& packet, Bytes waiting) const;
  void note_order(const PacketFlow& flow);
  /// Tells whether a port serves packets in the order in which they come.
  bool serves_in_order(uint32_t port) const { return is_in_order_ && !begins_flows_[port]; }
  void pause_behind(const Packet& packet, uint32_t port);
  void resume_behind(uint32_t port, int priority);
  void change_pause(Kind kind, uint32_t number);
  void forget_if_over(uint32_t flow);
  const PacketRoute& route_of(const Packet& packet) const {
    return *flows_[packet.flow].routes[packet.route];
  }
  Bytes size_of(const Packet& packet) const {
    if (packet.is_whole) return options_.mtu;
    return flows_[packet.flow].bytes - int64_t{packet.number} * options_.mtu;
  }

  std::vector<Bandwidth> rates_;  // by port
  PacketOptions options_;
  PacketPool pool_;
  Ports ports_;
  Pauses pauses_;
  PlannedQueues planned_;           // of ports that serve in order
  std::vector<bool> begins_flows_;  // by port: flows take turns there with what passes
  bool is_in_order_;                // where no flow begins: no pauses, one priority
  std::optional<int> priority_;     // of the flows so far
  Senders senders_;
  std::vector<Flow> flows_;
  DrawnPacketRoutes drawn_;
  EventQueue queue_;
  Time now_;
  std::vector<uint32_t> to_serve_;  // ports
  std::vector<uint32_t> ended_, left_, happening_;
  std::vector<uint64_t> dropped_;
  uint64_t sent_ = 0, events_ = 0, steps_ = 0;
};

}  // namespace pipewright
