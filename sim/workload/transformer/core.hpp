// The attention core of one device, between its projections.
#pragma once

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

struct Core {
  int64_t heads, kv_heads;
  int64_t query, value;      ///< numbers of a query (or key) head and of a value head
  int64_t reach;             ///< keys a query sees at most
  int64_t source = 0;        ///< tokens of another sequence that it sees all of; 0: it sees its own
  bool chunked = false;      ///< a query sees its own chunk of `reach` keys, else the last of them
  bool rotated = false;      ///< queries and keys are rotated by their positions
  int64_t all_heads = 0;     ///< of the whole layer
  bool same_values = false;  ///< values are the keys
  int64_t more_keys = 0;     ///< that stand for several tokens, of a sequence
  int64_t more_reach = 0;    ///< of those, the most that a query sees

  int64_t query_width() const { return heads * query; }
  int64_t context_width() const { return heads * value; }
  int64_t kv_width() const { return kv_heads * (query + (same_values ? 0 : value)); }
  /// Pairs of a query and one of those keys: a query sees those of the tokens before it.
  double more_pairs(int64_t sequence) const;
};

/// Tells whether all heads of some tokens become some heads of all tokens before the core.
bool exchanges_heads(const Share& share);
/// Returns the keys of a sequence.
int64_t keys_of(const Share& share, const Core& core);
/// Returns the FLOPs that the model needs for the core: every query sees `reach` keys.
double core_model_flops(const Share& share, const Core& core);
/// Returns attention whose scores are written. In unfused.cpp.
Operation unfused_core(const Share& share, const Core& core);
/// Returns the operation from queries, keys and values to the output of the heads, in the kernels
/// that the run uses.
Operation attention_core(const Share& share, const Core& core);
/// The same with the number that each head of some models adds to its rows' sums.
Operation core_with_sinks(const Share& share, const Core& core);
/// All that comes between the projections, of a block.
Operations between_projections(const Share& share, int64_t block);
/// Takes the biases of keys, which Whisper's have none of, out of what makes them.
void leave_out_key_biases(const Share& share, Operation& keys);
/// Back to the residual stream, from heads that are `width` wide on one device.
Operation output_projection(const Share& share, int64_t width, std::optional<bool> bias);
/// Norms of queries and keys, and a gate on the heads' output, where the model has them. In
/// head_parts.cpp.
Operation head_norms(const Share& share, const Core& core, bool borrows);
Operation head_gate(const Share& share, const Core& core);
/// The products that score keys, in a region and before it, and the choice of the best of them. In
/// indexer.cpp.
Operation indexer_inputs(const Share& share, const Indexer& indexer);
Operations indexer(const Share& share, const Indexer& indexer);
/// Returns the scores of `keys` keys for every query, and the choice of the best of them.
Operation scored(const Share& share, const Indexer& indexer, int64_t keys);
/// Products of the stream that score blocks of keys, and the choice of the best for every head, in
/// a region. In block_indexer.cpp.
Operations block_indexer(const Share& share, const Indexer& indexer);
/// Low-rank queries, whole and compressed keys, their core and the way back to the stream, of a
/// block. In compressed.cpp.
Operations compressed_attention(const Share& share, int64_t block);
/// Sets what a block sees beside its window.
void see_compressed(const Share& share, int64_t block, Core& core);

/// `core`, which computes on all keys of a device's queries, with what brings the keys there.
Operations exchanged(const Share& share, const Core& core, Operation operation);
/// The core where neighbours exchange heads and rings go across them.
Operations exchanged_within_rings(const Share& share, const Core& core);

}  // namespace pipewright::transformer
