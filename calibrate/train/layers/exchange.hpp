// The exchanges of a group: what its ranks do with the arrays that each of them brings in the
// middle of a pass.
#pragma once

#include "calibrate/train/layers/data_movement.hpp"
#include "workload/layer.hpp"

namespace pipewright::train {

enum class Exchange : uint8_t {
  sum,  ///< everybody gets the sum
  /// Joins the parts of rows: their last three columns (the maximum, the sum of exponentials above
  /// it, and the target's logit or 0) become those of the whole row.
  softmax,
  gather,   ///< everybody gets all, the numbers of one rank after those of the one before
  scatter,  ///< its adjoint: of the sum, everybody gets its part
  // Of images in strips of rows, a row for each sample; `cut` says what columns ranks have:
  halo,     ///< everybody gets what it wants
  home,     ///< its adjoint
  samples,  ///< strips of all samples become all of some
  strips,   ///< its adjoint
};

/// The collective that a program has for it.
CollectiveKind collective_of(Exchange how);

struct Moving {
  Exchange how = Exchange::sum;
  Array array;  ///< what the rank brings, then what it gets; of gather and scatter in one row
  const Movement* cut = nullptr;  ///< of strips
};

/// All of them at once, in the group's order. They are moved alike, and arrays are as large.
void carry_out(Kernels& kernels, const std::vector<Moving*>& group);

/// The same numbers in rows of `columns`. They stand one after the other.
Array with_columns(const Array& numbers, int64_t columns);

}  // namespace pipewright::train
