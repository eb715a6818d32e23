// The product Y = X W of a linear layer on a cube of l x l x l ranks (Bian et al., arXiv
// 2105.14450), rank i + l (j + l k).
//
// X [M, K] is cut l times each way and block (i, k) l times more over j, by rows; W [K, N] into
// blocks (k, j), each over i; Y [M, N] into blocks (i, j), each over k. A pass gathers two of them
// along their lines, multiplies blocks, and reduce-scatters, the adjoint of gathering, what comes
// out:
//   Y = X W,  dX = dY W^T,  dW = X^T dY
// Each rank holds 1 / l^3 of everything. Constraint: l^2 divides M and K, l divides N.
#pragma once

#include "calibrate/train/layers/data_movement.hpp"

namespace pipewright::train {

struct Cube {
  int side = 1;
  int64_t m = 0, n = 0, k = 0;

  int ranks() const { return side * side * side; }
};

/// One of the three matrices, and along which line of ranks its blocks are cut once more.
enum class CubeMatrix : uint8_t { x, w, y };

/// A whole matrix as the ranks hold it, [1, numbers] each, and back.
Workers cut(const Cube& cube, CubeMatrix which, Kernels& kernels, const Tensor& whole);
Array join(const Cube& cube, CubeMatrix which, Kernels& kernels, const Workers& pieces);

Workers cube_forward(const Cube& cube, Kernels& kernels, const Workers& x, const Workers& w);
Workers cube_input_gradient(const Cube& cube, Kernels& kernels, const Workers& dy,
                            const Workers& w);
Workers cube_weight_gradient(const Cube& cube, Kernels& kernels, const Workers& dy,
                             const Workers& x);

}  // namespace pipewright::train
