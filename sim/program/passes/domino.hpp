// Domino: the batch of every tensor-parallel layer in slices whose collectives run beside the
// compute of the others (arXiv 2409.15241: the row split of the inputs, the column split of the
// weights, both).
//
// Order of a pass of k segments in n slices, "|" where a collective is in flight beside compute:
//     1.1  1.1|1.2  ...  1.n|2.1  2.2 ...      segment.slice
//   A segment waits for the collective of its own slice only, also from one layer to the next, and
//   all collectives go through one stream in that order. A run of weight gradients, which need no
//   collective, comes before what does, so that it hides the last slice's.
// With segments of length c alone and collectives of length m, c / n and m / n sliced, nothing
// else:
//   n = 2 and c >= m take  k c + m / 2  in place of  k (c + m).
// Columns: the product before a collective is made in pieces of its columns, each followed by its
//   part of the collective; what follows waits for all pieces, and so does every slice (2-D).
// Where a segment of a slice joins (the ends of layers, for intra-layer overlap), all slices wait
//   until nothing is in flight.
// Constraints: a micro-batch of a multiple of n sequences. Kernels are those of the smaller batch;
//   weights are read and their gradients accumulated once a slice. Pieces are views of one matrix:
//   other products of it are whole. Collectives of other axes within a pass are hidden alike.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

struct DominoCut {
  int slices = 2;   ///< of a micro-batch
  int columns = 1;  ///< pieces of a product that a collective follows
};

/// `whole` with the passes of the slices of its micro-batch, each of which does `slice`.
StageWork interleave(StageWork whole, const StageWork& slice, const DominoCut& cut);

}  // namespace pipewright
