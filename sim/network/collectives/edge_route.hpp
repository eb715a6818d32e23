// The route of an edge over a topology.
#pragma once

#include "network/collectives/collective.hpp"

namespace pipewright::collective {

/// Throws Failure where there is none; one end may be the switch of the node.
Route edge_route(const Topology& topology, const Members& members, int from, int to);

}  // namespace pipewright::collective
