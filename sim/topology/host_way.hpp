// The way between a device and the memory of its host.
#pragma once

#include <optional>

#include "topology/topology.hpp"

namespace pipewright {

/// From the device, by the fewest links of its node, to the nearest host and into its memory where
/// that has a bandwidth of its own; back goes over the opposite links. Empty where the device has
/// no host.
std::optional<Route> way_to_host(const Topology& topology, int device);

}  // namespace pipewright
