// What the messages and collectives of a program send between nodes as packets. What stays inside a
// node shares links as flows.
//
// A message is one flow of packets from its sender to its receiver. A collective is a flow over
// each of its rails between nodes, with the bytes that a ring lays there, or from each member to
// each peer. The flows of one collective begin together: what a step of a ring waits for is in its
// start-up, as its price has it, not in packets. An op ends with its last packet, and never earlier
// than it would alone by its price.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/op_routes.hpp"
#include "network/packet/packet_network.hpp"

namespace pipewright {

/// The packets of ops that put the same bytes on the same routes.
struct PacketLoad {
  struct Part {
    std::vector<const PacketRoute*> routes;  ///< one, or those that packets are sprayed over
    Bytes bytes;
  };
  std::vector<Part> parts;
  Time wire;                ///< the longest latency of their routes
  Time moving;              ///< of all bytes alone, as the price has it
  uint32_t channel = none;  ///< as SharedRoute has it
};

struct PacketPlan {
  PacketOptions options;
  std::vector<Bandwidth> ports;    ///< by link
  std::deque<PacketRoute> routes;  ///< that the loads point to
  std::vector<PacketLoad> loads;
  std::vector<uint32_t> load_of;  ///< by op; `none` where nothing leaves a node
  double packets = 0;             ///< of all ops, none of them lost
  double crossings = 0;           ///< the same, each packet counted once for every port
  double most_of_a_flow = 0;      ///< packets of the largest flow

  bool carries(OpId op) const { return load_of[op] != none; }
};

/// `op_routes` are the routes of `program`, every op of which stands for itself alone; `spreading`
/// chooses among routes between nodes where packets are not sprayed. `options.seed` counts.
std::shared_ptr<const PacketPlan> plan_packets(const Program& program, const Topology& topology,
                                               const Spreading& spreading,
                                               const OpRoutes& op_routes,
                                               const PacketOptions& options);

/// What became of the packets of a run.
struct PacketCounts {
  uint64_t packets = 0;   ///< that the flows consist of
  uint64_t dropped = 0;   ///< in queues, those sent again included
  uint64_t repeated = 0;  ///< sent again
  uint64_t timeouts = 0;
  uint64_t sent = 0;  ///< over ports, each counted
};

}  // namespace pipewright
