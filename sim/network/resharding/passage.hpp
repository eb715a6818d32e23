// What a resharding puts on links.
#pragma once

#include "network/passage.hpp"
#include "network/resharding/plan.hpp"

namespace pipewright::resharding {

/// For each byte of the whole tensor, piece i sent by the device `senders[i]`. Alone it is as fast
/// as its busiest link. Throws Failure where there is no route.
Passage passage_of(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
                   Strategy strategy, std::span<const int> senders);

}  // namespace pipewright::resharding
