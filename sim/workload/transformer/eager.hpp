// The bytes that plain PyTorch, and nanotron, move through memory and keep beyond kernels that are
// fused; see eager.cpp. All of it is in bytes, and zero where `kernels: fused` run.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Returns the extra bytes of a norm over `numbers`.
double eager_norm(const Share& share, Direction direction, double numbers);
/// Returns how many of them its kernels handle one by one, once for each such kernel.
double eager_norm_singles(const Share& share, Direction direction, double numbers);
/// Returns the bytes that it keeps longer.
double eager_norm_kept(const Share& share, double numbers);
/// Returns the extra bytes of a gated activation whose result has `numbers`.
double eager_gate(const Share& share, Direction direction, double numbers);
/// Returns the bytes that it keeps longer.
double eager_gate_kept(const Share& share, double numbers);
/// Returns the extra bytes of transformers' GELU of operators over `numbers`, where that is the
/// activation.
double eager_gelu(const Share& share, Direction direction, double numbers);
double eager_gelu_singles(const Share& share, Direction direction, double numbers);
/// Returns the bytes that it keeps beside what an activation of one kernel does.
double eager_gelu_kept(const Share& share, double numbers);
/// Returns the extra bytes of a rotary embedding.
double eager_rotation(const Share& share, Direction direction, double numbers);
/// Returns how many of them its kernels handle one by one, once for each such kernel.
double eager_rotation_singles(const Share& share, Direction direction, double numbers);
/// Returns the extra bytes of dropout before a residual sum, in either direction.
double eager_dropout(const Share& share, double numbers);
/// Tells whether PyTorch's softmax reads a row of so many numbers twice, being longer than a warp
/// holds.
bool rereads_rows(int64_t numbers);
/// Returns the extra bytes of a softmax over rows of `keys`, of `numbers` in all.
double eager_softmax(const Share& share, Direction direction, int64_t keys, double numbers);
/// Returns the extra bytes of the gradients of queries, keys and values, of `numbers` in all.
double eager_projections(const Share& share, double numbers);
/// The numbers of all queries, and of all keys and values, of a device.
struct HeadNumbers {
  double queries, keys_and_values;
};
/// Returns the extra bytes that lay them out for attention, or their gradients for the products.
double eager_layouts(const Share& share, Direction direction, const HeadNumbers& numbers);
/// Returns the bytes that they keep beside what attention reads.
double eager_layouts_kept(const Share& share, const HeadNumbers& numbers);
/// Returns the bytes of a product of `numbers` that is reduced and scattered, not reused at once.
double eager_scattered_kept(const Share& share, double numbers);
/// Returns the extra bytes that lay out attention's output of `numbers`, in either direction. Half
/// of them are kept.
double eager_outputs(const Share& share, double numbers);

}  // namespace pipewright::transformer
