// Layers over a part of a batch's sequences, where ranks share these out.
#pragma once

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {

/// The `part`-th of as large `parts` of a batch, with its tokens; features stay whole.
Batch sequences_of(const Batch& batch, int part, int parts);

/// `inner` over that part.
LayerPointer over_sequences(LayerPointer inner, int part, int parts);

}  // namespace pipewright::train
