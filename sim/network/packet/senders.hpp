// The two ends of every flow: what may be sent next, what is known to be lost, what has arrived.
// Knows nothing of ports.
#pragma once

#include "network/packet/packet_network.hpp"
#include "network/packet/sender.hpp"
#include "network/packet/sender_plan.hpp"

namespace pipewright {

class Senders {
 public:
  Senders(const PacketOptions& options, PacketPool& pool) : options_(options), pool_(pool) {}

  /// Adds a flow and returns its number: the next, or that of a flow that is forgotten.
  uint32_t add(const SenderPlan& plan);
  /// Tells whether a flow has ended and nothing of it is on its way.
  bool is_over(uint32_t flow) const {
    const Sender& sender = senders_[flow];
    return sender.done && sender.in_network == 0 && sender.returning == 0;
  }
  /// Gives up the number of a flow that is over.
  void forget(uint32_t flow) { forgotten_.push_back(flow); }

  /// Tells whether there is something to send, and room in the window.
  bool can_send(uint32_t flow);
  /// Returns from when on its rate lets the flow send.
  Time next_send(uint32_t flow) const { return senders_[flow].next_send; }
  /// The next packet, to go by the flow's `route`-th route; can_send() must hold.
  PacketId send(uint32_t flow, uint32_t route, Time now);
  /// Notes the arrival at the receiver. False: nobody waits for an acknowledgement, and the packet
  /// is given back.
  bool deliver(PacketId id, Time now);
  void drop(PacketId id, Time now);
  /// Notes the acknowledgement at the sender.
  void acknowledge(PacketId id, Time now);
  void time_out(uint32_t flow, Time now);

  /// Returns when the flow times out if nothing is acknowledged; longest_time: it waits for
  /// nothing.
  Time deadline(uint32_t flow) const;
  bool done(uint32_t flow) const { return senders_[flow].done; }
  uint32_t sent_once(uint32_t flow) const { return senders_[flow].next; }
  /// Tells whether every packet was sent once.
  bool has_sent_all(uint32_t flow) const { return senders_[flow].next == senders_[flow].packets; }
  PacketFlowResult& result(uint32_t flow) { return results_[flow]; }
  std::vector<PacketFlowResult> take_results() { return std::move(results_); }

 private:
  bool within_bound(const Sender& sender) const;
  void adapt(Sender& sender, const Packet& packet, Time now) const;
  bool has_rate() const { return options_.control == RateControl::dcqcn; }
  void lose(Sender& sender, PacketId id);
  bool repeats_next(Sender& sender);
  void forget_acknowledged(Sender& sender);
  PacketId take_missing(Sender& sender);
  void finish_if_done(uint32_t flow, Time now);
  void close(Sender& sender);

  PacketOptions options_;
  PacketPool& pool_;
  std::vector<Sender> senders_;  // by flow, and so the results
  std::vector<PacketFlowResult> results_;
  std::vector<uint32_t> forgotten_;
};

}  // namespace pipewright
