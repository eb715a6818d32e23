// Routes of a topology as packets take them.
#pragma once

#include "network/packet/packet_network.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Returns the ports of a route, which are numbered as shared_capacities() has them. A link without
/// a limit is none: its latency counts for the port before it or, at the beginning, after it.
PacketRoute packet_route(const Topology& topology, const Route& route);

}  // namespace pipewright
