// The bytes that plain PyTorch moves through memory beyond kernels that are fused; see eager.cpp.
// All of it is in bytes, and zero where `kernels: fused` run.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Returns the extra bytes of a norm over `numbers`.
double eager_norm(const Share& share, Direction direction, double numbers);
/// Returns the extra bytes of a gated activation whose result has `numbers`.
double eager_gate(const Share& share, Direction direction, double numbers);
/// Returns the extra bytes of a rotary embedding, in either direction.
double eager_rotation(const Share& share, double numbers);
/// Returns the extra bytes of dropout before a residual sum, in either direction.
double eager_dropout(const Share& share, double numbers);
/// Returns the extra bytes of a softmax over rows of `keys`, of `numbers` in all.
double eager_softmax(const Share& share, Direction direction, int64_t keys, double numbers);
/// Returns the extra bytes of the gradients of queries, keys and values, of `numbers` in all.
double eager_projections(const Share& share, double numbers);

}  // namespace pipewright::transformer
