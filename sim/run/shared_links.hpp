// Whom a simulated rank stands for, when links are shared.
#pragma once

#include "engine/ways.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Whom each simulated rank of `folding` stands for. Both must outlive what is returned.
Mirror mirror_of(const Grid& grid, const Folding& folding);

}  // namespace pipewright
