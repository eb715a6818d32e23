// Which of several routes that cost the same bytes take.
//
//   first   the first of Topology::route(): where a shape has made one link of parallel ones, as of
//           the uplinks of a fat-tree, that is perfect spreading over these
//   hash    ECMP: a hash of seed, devices, flow and queue pair draws one route for each queue pair,
//           each with an even part of the bytes, whatever the others carry. Flows collide
//   all     spraying: an even part over every route
//   none    no flow takes any: what goes between nodes is packets
//
// Routes are drawn hop by hop, each whole one as likely as the others; where every switch hashes by
// itself that is so in a folded Clos network, whose routes part at every tier in as many. Source:
// RFC 2992 (hashing by flow); collisions of few large flows: Gangidi et al., "RDMA over Ethernet
// for distributed AI training at Meta scale", SIGCOMM 2024, which adds queue pairs.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "topology/path_counts.hpp"
#include "topology/topology.hpp"

namespace pipewright {

struct Spreading {
  enum class How : uint8_t { first, hash, all, none } how = How::first;
  int queue_pairs = 1;
  uint64_t seed = 0;

  bool draws() const { return how == How::hash; }
};

/// Routes between devices, those that cost the same found once.
class SpreadRoutes {
 public:
  /// `topology` must outlive it.
  SpreadRoutes(const Topology& topology, const Spreading& spreading)
      : topology_(topology), spreading_(spreading) {}

  const Topology& topology() const { return topology_; }

  /// Returns routes that carry even parts of the bytes; a route may come several times. `flow`
  /// tells apart what goes between the same devices. Throws Failure where there is no route.
  std::vector<Route> of(int from, int to, uint64_t flow);
  bool draws() const { return spreading_.draws(); }
  /// Draws from now on by another seed.
  void draw_by(uint64_t seed) { spreading_.seed = seed; }

 private:
  const Topology& topology_;
  Spreading spreading_;
  std::unordered_map<uint64_t, std::vector<Route>> equal_;  // by pair of devices, to spray over
  PathCounts counts_;                                       // to draw by
};

}  // namespace pipewright
