// Models the exchange of amax under delayed scaling, where a tensor is cast to fp8 by the largest
// number of earlier ones. Ranks agree on those numbers after every pass of a stage, on the stream
// that computes:
//   forward    of inputs, weights and outputs, 3 of every product
//   backward   of the gradients of inputs and outputs, 2
// fp32 each, put into one buffer, which is all-reduced, and the scales made from it: two kernels
// and one collective. Sources: Transformer Engine, FP8GlobalStateManager (on leaving fp8_autocast,
// and after the backward of its first module); over whom, Megatron-Core's get_amax_reduction_group:
// all ranks of the stage, or those of a replica (tp_only_amax_red). Left out: their history, from
// which the scales are made.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

/// Adds it to the passes of a stage whose products are in fp8.
void agree_on_amaxes(Axis over, StageWork& stage);

}  // namespace pipewright
