// Messages and collectives whose bytes are on links that others use too: ops as flows, and, where
// `contention` has a plan for packets, as packets between nodes.
//
// An op's latency passes first; then, once its channel is free, its bytes share links, as one flow
// for each part of the route that carries the same number of bytes. None is faster than it would be
// alone, and the op ends with the last.
#pragma once

#include <deque>
#include <optional>

#include "base/required.hpp"
#include "engine/contention.hpp"
#include "engine/packet_ops.hpp"
#include "network/max_min.hpp"

namespace pipewright {

/// `contention.alike` must hold.
class InFlightOps {
 public:
  InFlightOps(const Contention& contention, std::span<const Time> duration);

  bool carries(OpId op) const { return has_flows(op) || has_packets(op); }
  /// Returns the time from the start of an op to when its bytes begin to share links.
  Time latency(OpId op);
  void begin(OpId op, Time now);
  /// Returns when something ends or leaves its sender next, if that is by `until`, before which
  /// nothing may begin; else a time after `until`.
  Time next_news(Time until);
  /// Finds the ops that end now, ascending, and lets what waits for a channel leave.
  void take_ended(Time now, std::vector<OpId>& ops);
  PacketCounts packet_counts() const { return packets_ ? packets_->counts() : PacketCounts{}; }

 private:
  struct Part {
    std::vector<uint32_t> links;
    std::vector<int> times;  ///< by link
    Bytes bytes;
    double cap;
    int priority = 0;
  };
  struct Parts {
    std::vector<Part> parts;
    Time moving;  ///< alone
  };
  Parts parts_of(const SharedRoute& route, std::vector<SharedLink::Load> uses) const;
  /// One message leaves its sender, the others wait.
  struct Channel {
    bool busy = false;
    std::deque<OpId> waiting;
  };
  bool has_flows(OpId op) const { return contention_.route_of[op] != none; }
  bool has_packets(OpId op) const { return packets_ && packets_->carries(op); }
  const Parts& parts(OpId op);
  Channel* channel(OpId op);
  void move(OpId op, Time now);
  void move_flows(OpId op, Time now);
  void part_left(OpId op);
  void free_channels(Time now);

  PacketOps& packets() { return required(packets_, "ops have packets"); }

  const Contention& contention_;
  std::span<const Time> duration_;
  MaxMinSharing network_;
  std::optional<PacketOps> packets_;
  std::vector<std::vector<SharedLink::Load>>
      uses_;  // by route, `Load::route` of each being the link
  std::vector<Parts> by_route_;
  // By op: parts that have not ended, and those that have not left the sender.
  std::vector<uint32_t> parts_left_, parts_to_send_;
  std::vector<OpId> op_of_;  // by flow
  std::vector<uint32_t> ended_;
  std::vector<OpId> with_packets_, sent_packets_;
  std::vector<OpId> sent_;  // whose channel is to be freed
  std::vector<Channel> channels_;
};

}  // namespace pipewright
