// Pairs of passes whose messages hide behind each other's compute.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

/// Puts the weight gradients of every segment of a backward pass behind the segment's collective,
/// which needs none of them. DualPipe splits a backward so (arXiv 2412.19437, figure 4).
StageWork with_weight_gradients_last(StageWork work);

/// Returns the segments of two passes that run side by side as those of one, in the order in which
/// lowering puts them, the second on chains of its own.
Segments side_by_side(const Segments& first, const Segments& second);

}  // namespace pipewright
