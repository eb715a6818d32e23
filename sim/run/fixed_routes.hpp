// What it costs that every pair of devices takes the first of several equal routes.
#pragma once

#include <string>

#include "engine/op_routes.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Returns that bytes went over some of a switch's uplinks alone, where those were busy for a part
/// of `makespan` that matters while others of it had none; else nothing. For runs whose routes are
/// fixed.
std::string where_routes_pile_up(const Topology& topology, const LinkBytes& bytes, Time makespan);

}  // namespace pipewright
