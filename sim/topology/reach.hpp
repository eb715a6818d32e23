// Checks that a topology holds together.
#pragma once

#include <optional>

#include "topology/topology.hpp"

namespace pipewright {

/// The first device to which device 0 has no route, by one search over the links; empty where it
/// reaches all. Finds what route() finds, without a route for each.
std::optional<int> first_unreached(const Topology& topology);

}  // namespace pipewright
