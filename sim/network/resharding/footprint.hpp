// The footprint of a resharding on links.
#pragma once

#include "network/footprint.hpp"
#include "network/resharding/plan.hpp"

namespace pipewright::resharding {

/// Returns the footprint for each byte of the whole tensor, with piece i sent by the device
/// `senders[i]`. Alone it is as fast as its busiest link. Throws Failure where there is no route.
LinkFootprint footprint_of(const Topology& topology, const Meshes& meshes,
                           std::span<const Piece> pieces, Strategy strategy,
                           std::span<const int> senders);

}  // namespace pipewright::resharding
