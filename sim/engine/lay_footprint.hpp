// Lays a message or collective on the links of a topology, for what keeps footprints and for
// programs that need each only once.
#pragma once

#include "engine/laid_links.hpp"

namespace pipewright {

/// Returns the footprint of `laid` and of all that the mirror shows; null where that is nothing, or
/// of unequal bandwidth.
std::shared_ptr<const MirroredFootprint> lay(const Topology& topology, const Spreading& spreading,
                                             const Laid& laid, const Mirror& mirror);

}  // namespace pipewright
