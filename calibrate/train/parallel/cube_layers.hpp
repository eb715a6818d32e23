// Layers of a transformer on a cube of l x l x l ranks (Bian et al., arXiv 2105.14450), each as one
// rank x + l (y + l z) has it.
//
// A product's rows are cut by x, its inputs by z, its outputs by y; `turned`, as the next product
// takes what the one before leaves, by y and z. Rows are cut once more over the line by which the
// inputs are not cut, weights over x:
//   X' = gather X    W' = gather_x W    Y = scatter X' W'^T
//   dY' = gather dY  dX = scatter dY' W'  dW = scatter_x dY'^T X'
// A norm's gain and bias follow its rows' gathering: they stand with the product that it feeds, as
// the product's own bias does. Both are the same on all ranks that have these columns, and their
// gradients are summed along with what is scattered.
#pragma once

#include "calibrate/train/layers/sequence.hpp"

namespace pipewright::train {

struct CubeProductShape {
  int side = 1;
  int64_t in = 0, out = 0;  ///< of a block, a `side`-th of the whole
  bool normed = false;      ///< a norm's gain and bias are in front
  bool bias = false;
};

/// Weights: gain and bias of the norm [in] each, the rank's part of W [out, in], bias [out].
SharedLayerPointer cube_product(const CubeProductShape& shape);

/// (x - mean) / deviation over rows of which the rank has `columns` of `width`.
SharedLayerPointer cube_norm(int64_t columns, int64_t width);

struct CubeTableShape {
  int side = 1, x = 0;               ///< the rank's place
  int64_t first = 0, tokens = 0;     ///< of the vocabulary
  int64_t positions = 0, width = 0;  ///< of a block
};

/// Rows of a table at the batch's tokens, as a turned product picks them, plus those of its
/// positions. Weights: the rank's part of [tokens, width], [positions, width].
SharedLayerPointer cube_embedding(const CubeTableShape& shape);

}  // namespace pipewright::train
