// The arrangement of the devices of a tensor-parallel group, and what part each has of a layer.
//
//   1d     a line of t: Megatron-LM's (arXiv 1909.08053), tokens everywhere, weights cut once
//   2d     q x q, t = q^2: rows of tokens and columns of the width (Optimus, arXiv 2104.05343)
//   2.5d   d of those, t = q^2 d: tokens cut over them as well (Tesseract, arXiv 2105.14500)
//   3d     l x l x l, t = l^3: tokens cut l^2 times, the width l times (arXiv 2105.14450)
//   signatures   any grid, which each product is cut over in its own way (workload/signatures.hpp)
//
// A tensor rank is x + sides[0] (y + sides[1] z).
#pragma once

#include <array>
#include <cstdint>

namespace pipewright {

enum class TensorKind : uint8_t { line, square, layered, cube, signatures };

struct TensorGrid {
  TensorKind kind = TensorKind::line;
  std::array<int, 3> sides{1, 1, 1};  ///< of a line all but the first are 1

  bool is_line() const { return kind == TensorKind::line; }
  /// Returns the number of parts into which a device's tokens and a layer's width are cut; a line
  /// cuts neither.
  int token_parts() const { return is_line() ? 1 : sides[1] * sides[2]; }
  int width_parts() const { return is_line() ? 1 : sides[0]; }
};

}  // namespace pipewright
