// Layers of which a rank of a tensor-parallel group has a part, or that stand outside its regions.
#pragma once

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {

/// Makes the embedding of a vocabulary's tokens first .. first + count; rows of others are 0.
LayerPointer embedding_part(int64_t first, int64_t count, int64_t width);
/// y = x + the rows of a table at the batch's positions.
LayerPointer position_table(int64_t count, int64_t width);
/// y = x + bias
LayerPointer bias(int64_t width);
/// Logits of a part of the vocabulary, three numbers of every row behind them: see
/// Exchange::softmax. Without that exchange its gradient is no gradient.
LayerPointer softmax_statistics(int64_t first, int64_t count);
/// The batch's loss [1, 1] from those, of whole rows.
LayerPointer part_loss(int64_t first, int64_t count);

}  // namespace pipewright::train
