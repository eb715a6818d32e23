// Traffic by itself: flows over a network that they share, each from a time on or after others.
#pragma once

#include <span>
#include <vector>

#include "network/sharing.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Returns what of a topology is shared: link i of it, or, where both directions share the
/// bandwidth, the lower of the two.
std::vector<Bandwidth> shared_capacities(const Topology& topology);
std::vector<uint32_t> shared_links(const Topology& topology, const Route& route);

struct TrafficFlow {
  std::span<const uint32_t> links;  ///< none: it takes no time
  Time latency;                     ///< from `start` until its bytes begin to share links
  Bytes bytes;
  Time start;
  double weight = 1;  ///< this and the next two as in Flow
  double cap = std::numeric_limits<double>::infinity();
  int priority = 0;
  std::span<const uint32_t> after;  ///< begins `delay` after these have ended, if that is later
  Time delay;
};

/// Returns when each flow ends, in the given order. Throws Failure naming a flow, from 0, that gets
/// nothing.
std::vector<Time> run_traffic(std::span<const TrafficFlow> flows, SharingModel& network);

}  // namespace pipewright
