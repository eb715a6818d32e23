// The ways out of hosts and into them by which resharded pieces go.
#pragma once

#include "topology/topology.hpp"

namespace pipewright::resharding {

/// The NICs that a route takes, or the devices, where these have a link between hosts of their own.
struct Ways {
  VertexId out = 0, in = 0;
};

/// Returns the ways of a route between two hosts.
Ways ways_of(const Topology& topology, const Route& route);

/// Returns the number in its host of the NIC that a device is joined to; 0 where it is joined to
/// none.
uint32_t rail_of(const Topology& topology, int device);

}  // namespace pipewright::resharding
