// Linear layers over a square or a cube of devices.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Y[m, n] = X[m, k] W[k, n] of the whole group, and how wide its numbers are.
struct GridProduct {
  int64_t m = 0, n = 0, k = 0;
  bool turned = false;      ///< takes X as the layer before left it: the other way round in a cube
  bool picks_rows = false;  ///< X holds a one in every row: a table is looked up, X is not sent
};

/// Returns what one device computes and communicates for it in each pass, with what it keeps and
/// holds of the weight. In the files of the kinds.
Operation on_square(const Share& share, const GridProduct& product);  ///< 2d and 2.5d
Operation on_cube(const Share& share, const GridProduct& product);    ///< 3d
Operation on_grid(const Share& share, const GridProduct& product);

/// The groups over which the width of a row is cut where a product takes it that is `turned` or
/// not.
Axis width_axis(const Share& share, bool turned);

/// Options and share of one device: a part of the tokens and of the width. Throws Misfit at `where`
/// for sides that do not divide the model.
WorkloadOptions options_on_grid(const TransformerShape& shape, const WorkloadOptions& options,
                                const config::Value& where);

}  // namespace pipewright::transformer
