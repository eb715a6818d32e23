// The route between a device and the memory of its host.
#pragma once

#include <optional>

#include "topology/topology.hpp"

namespace pipewright {

/// Returns the route from the device, by the fewest links of its node, to the nearest host and into
/// its memory, where that has a bandwidth of its own. The route back takes the opposite links.
/// Empty where the device has no host.
std::optional<Route> host_route(const Topology& topology, int device);

}  // namespace pipewright
