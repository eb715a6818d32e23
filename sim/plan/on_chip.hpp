// Weights that stay in the block and ultra RAM of an FPGA: what passes of a stage then read.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

/// Takes its weights from what a stage's forward and backward passes read from memory. Their
/// gradients and the optimizer's step go there as ever.
void read_weights_on_chip(StageWork& stage);

}  // namespace pipewright
