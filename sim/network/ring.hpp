// A group of devices as a ring over a topology: all that a contention-free collective needs to know
// of it. Finding it costs a route for each member, so find it once and ask for many sizes.
#pragma once

#include <span>
#include <vector>

#include "topology/spreading.hpp"
#include "topology/topology.hpp"

namespace pipewright {

struct Ring {
  int size = 1;
  double latency_s = 0;         ///< of size - 1 steps around the ring
  double seconds_per_byte = 0;  ///< of its slowest edge, all rails together
  double peers_latency_s = 0;   ///< of one message to every other member
  double peers_s_per_byte = 0;  ///< to send one byte to every other member
};

Ring find_ring(const Topology& topology, std::span<const int> devices);

/// The part of each byte that goes around which crosses a link. A link may come several times.
struct LinkShare {
  LinkId link = 0;
  double share = 1;
};

/// `closed`: the last member sends to the first as well. Between nodes the rails of `devices` take
/// `routes`, as connections of their own.
std::vector<LinkShare> ring_shares(std::span<const int> devices, bool closed, SpreadRoutes& routes);

/// The same part of the bytes over each of its rails between nodes, along `routes`: what a link
/// between nodes carries of each byte that goes around.
std::vector<LinkShare> rail_shares(std::span<const int> devices, SpreadRoutes& routes);

}  // namespace pipewright
