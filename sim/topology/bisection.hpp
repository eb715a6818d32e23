// The bandwidth across the middle of a topology.
#pragma once

#include "topology/topology.hpp"

namespace pipewright {

/// The most that the first half of the devices (by number, rounded down) can send to the others at
/// one time; infinite where some path between them is unbounded, zero below two devices.
Bandwidth bisection(const Topology& topology);

}  // namespace pipewright
