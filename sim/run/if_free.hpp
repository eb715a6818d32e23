// What an iteration would gain if a cost were nothing.
#pragma once

#include "result/result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Returns by how much the iteration of `prepared`, whose metrics are given, would be shorter. Each
/// kind of communication, and what hosts take to start kernels, is left out in a simulation of its
/// own. Without bubble an iteration is as long as the rank that has most to do beside it.
IfFree if_free(const Prepared& prepared, const Metrics& metrics);

}  // namespace pipewright
