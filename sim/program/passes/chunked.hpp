// Tensor collectives in chunks that run beside the product that makes or takes their data, as in
// PyTorch's asynchronous tensor parallelism or Transformer Engine's user buffers.
//
// A product Y[m, n] = X[m, k] W before an all-reduce or reduce-scatter is made in c products of m /
// c rows, each followed by its chunk of the collective; one after an all-gather starts with the
// rows that are there. With a product of length g and a collective of length s, both linear in the
// rows:
//     before  g + s      now  (g + s) / c + (c - 1) max(g, s) / c
// Kernels are those of the smaller products: each reads W again, X and Y in parts.
// Constraints: the product is the last kernel before, or the first after, the collective; others
//   wait for all chunks. A collective is cut at whole bytes. Only groups of tensor ranks.
// Limits: chunks are collectives of their own with their own latency, on streams as NCCL's; copy
//   engines, which would leave the processors alone, are not modelled.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

/// A pass in which the product before a collective is made in `count` pieces of the columns of its
/// weights, each followed by its part of the collective, on chains of its own; what follows waits
/// for all. Each piece reads X again, and its part of W.
Segments in_columns(const Segments& pass, int count);

/// Tells whether there is a product that in_columns() makes in pieces.
bool has_columns(const Segments& pass, int count);

/// `whole` with every tensor collective that a product touches in `count` chunks.
StageWork in_chunks(StageWork whole, int count);

}  // namespace pipewright
