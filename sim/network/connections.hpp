// The connections over which a message or a collective leaves a node: what goes from which device
// to which on another node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// A part of the bytes that goes from one device to another, to the first of them from `origin`.
struct Connection {
  int from = 0, to = 0;
  uint64_t flow = 0;  ///< tells apart what goes between the same devices
  double share = 1;   ///< of the bytes of the message or of what a member of the collective sends
  int origin = -1;    ///< the device of the same node that hands its bytes to `from`; -1: itself
};

/// Returns the device that sends to `to` for `from`: on another node, that of the node of `from`
/// with the number in its node that `to` has in its own, where NVLink leads to it. So bytes stay on
/// the rail of their receiver. Source: NCCL 2.12 (PXN) and later, ncclTopoGetNetDev in
/// src/graph/topo.cc: NCCL_P2P_PXN_LEVEL is 2 if not set.
int relay_of(const Topology& topology, int from, int to);

/// Tells apart what the same two devices send each other as members of different groups: each group
/// has connections of its own, as each communicator of NCCL has.
uint64_t flow_of(std::span<const int> members);

/// Returns the members by node, as `members` has them, which are ascending.
std::vector<std::span<const int>> members_by_node(const Topology& topology,
                                                  std::span<const int> members);

/// Returns the rails from the members on one node to those on the next: one from each member of the
/// smaller part, with even parts of the bytes.
std::vector<Connection> rails_between(std::span<const int> part, std::span<const int> next,
                                      uint64_t flow);

/// Returns the connections by which each member sends to all others, those inside a node too, and
/// to other nodes over relay_of(). In a group of more than 65 members up to 64 peers on other nodes
/// stand for all of them.
std::vector<Connection> connections_to_peers(const Topology& topology,
                                             std::span<const int> members);

/// Returns the connections of a collective between nodes, over the ring or to all peers that
/// collective_footprint() lays. Their shares are of the bytes of that footprint.
std::vector<Connection> connections_between_nodes(const Topology& topology, CollectiveKind kind,
                                                  std::span<const int> devices);

}  // namespace pipewright
