// Messages and collectives whose packets are between nodes: ops as flows of packets.
#pragma once

#include <functional>
#include <queue>
#include <utility>

#include "engine/packet_plan.hpp"
#include "network/packet/packet_simulation.hpp"

namespace pipewright {

class PacketOps {
 public:
  /// `duration` is by op, of each alone. Both must outlive it.
  PacketOps(const PacketPlan& plan, std::span<const Time> duration);

  bool carries(OpId op) const { return plan_.carries(op); }
  /// Returns the channel of an op, as SharedRoute has it.
  uint32_t channel(OpId op) const { return load(op).channel; }
  /// Returns the time from the start of an op to its first packet: what its price has beyond the
  /// bytes and the latency of its route.
  Time start_up(OpId op) const;
  /// Sends the packets of an op, and returns how many of its parts take_news() will tell the end
  /// of: one more than leave.
  uint32_t send(OpId op, Time now);
  /// Returns when the next part ends or leaves its sender, if that is by `until`, and else a time
  /// after `until`. Packets go on until then: nothing is sent before that time or `until`,
  /// whichever is earlier.
  Time next_news(Time until);
  /// Appends to `ended` the op of each part that ends now, and to `left` the op of each part whose
  /// last packet leaves its sender now.
  void take_news(Time now, std::vector<OpId>& ended, std::vector<OpId>& left);
  PacketCounts counts() const;

 private:
  const PacketLoad& load(OpId op) const { return plan_.loads[plan_.load_of[op]]; }

  const PacketPlan& plan_;
  std::span<const Time> duration_;
  PacketSimulation network_;
  Time news_at_ = longest_time;  ///< of flows that take_news() has not told of
  std::vector<OpId> op_of_;      // by flow
  /// The least time of each op that is on its way.
  using End = std::pair<Time, OpId>;
  std::priority_queue<End, std::vector<End>, std::greater<>> alone_;
  PacketCounts counts_;
};

}  // namespace pipewright
