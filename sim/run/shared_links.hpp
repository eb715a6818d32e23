// Tells whom a simulated rank stands for when links are shared.
#pragma once

#include "engine/op_routes.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Returns the ranks for which each simulated rank of `folding` stands. Both must outlive what is
/// returned.
Mirror mirror_of(const Grid& grid, const Folding& folding);

/// Returns the laid links for the ranks of `folding`: those of earlier runs, where `prepared` has
/// any, else none yet.
std::shared_ptr<LaidLinks> laid_links(const Prepared& prepared, const Folding& folding);
/// The same with another spreading.
std::shared_ptr<LaidLinks> laid_links(const Prepared& prepared, const Folding& folding,
                                      const Spreading& spreading);
/// The same for counting bytes: the packets of a message that is sprayed take all routes.
std::shared_ptr<LaidLinks> counted_links(const Prepared& prepared, const Folding& folding);

}  // namespace pipewright
