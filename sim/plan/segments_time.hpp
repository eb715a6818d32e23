// The time of a pass on a mesh.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/host_load.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// Returns one of `devices` of each kind, those that are slowed down apart.
std::vector<int32_t> unlike_devices(std::span<const int32_t> devices, const Prices& prices);

/// Adds up the time of a pass, segment after segment: a chain goes on when its last collective has
/// ended, and another chain computes meanwhile.
class PassTime {
 public:
  /// Adds a segment that computes so long; `collective` is empty where it ends with none.
  void add(const Segment& segment, Time compute, std::optional<Time> collective);
  Time total() const { return std::max(computed_, communicated_); }

 private:
  Time computed_, communicated_;
  std::map<int, Time> ends_;  // of the last collective, by chain
};

/// Returns the time of a collective in the group of the first device of `mesh`; empty where that
/// device is alone.
std::optional<Time> collective_time(const CollectiveWork& work, const Prices& prices,
                                    const Mesh& mesh);

/// Returns how long a pass takes on the first device of `mesh`: its kernels and the collectives of
/// its tensor, context and expert ranks, which wait for each other as the segments say. What its
/// host takes is left out.
Time segments_time(const Segments& segments, const Prices& prices, const Mesh& mesh);
/// Returns the same with the kernels on another device, as long as nobody slows it down.
Time segments_time(const Segments& segments, const Prices& prices, const Mesh& mesh,
                   int32_t device);

/// Returns what the pass takes of that device and of its host.
HostLoad host_load(const Segments& segments, const Prices& prices, const Mesh& mesh,
                   int32_t device);

}  // namespace pipewright
