// The alpha-beta model: times of transfers that have the network to themselves.
#pragma once

#include <span>

#include "network/ring.hpp"
#include "workload/layer.hpp"

namespace pipewright {

class AlphaBeta {
 public:
  explicit AlphaBeta(Topology topology) : topology_(std::move(topology)) {}

  /// Returns the time of a message; zero on one device. Throws Failure when there is no route.
  Time transfer(int from_device, int to_device, Bytes bytes) const;

  static Time transfer(const Route& route, Bytes bytes);

  /// `bytes` as in CollectiveWork. Zero for a group of one.
  Time collective(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  Time collective(CollectiveKind kind, const Ring& ring, Bytes bytes) const;
  Ring ring(std::span<const int> devices) const { return find_ring(topology_, devices); }

 private:
  Topology topology_;
};

}  // namespace pipewright
