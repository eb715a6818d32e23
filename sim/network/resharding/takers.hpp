// The devices that take a piece of a resharding, as its strategy orders them.
#pragma once

#include <vector>

#include "network/resharding/plan.hpp"

namespace pipewright::resharding {

/// Returns the devices that `piece` goes to, host by host, the sender's own host first, so that few
/// edges of a ring or chain of them cross hosts. Of a host the one on the sender's rail comes
/// first.
std::vector<int> takers_by_host(const Topology& topology, const Meshes& meshes, const Piece& piece,
                                int sender);

/// Returns the groups of `takers`, in their order, each of which is sent a piece in parts and
/// gathers it: one of each host, or one of all. `strategy` is one of the all-gathers.
std::vector<std::vector<int>> gathering_groups(const Topology& topology,
                                               const std::vector<int>& takers, Strategy strategy);

}  // namespace pipewright::resharding
