// The time of a pass on a mesh.
#pragma once

#include <span>
#include <vector>

#include "engine/host_load.hpp"
#include "program/lower.hpp"

namespace pipewright {

/// Returns one of `devices` of each kind, those that are slowed down apart.
std::vector<int32_t> unlike_devices(std::span<const int32_t> devices, const Prices& prices);

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
