// Gated DeltaNet: linear attention whose state forgets and is corrected (arXiv 2412.06464).
//
// One product makes queries, keys, values and a gate, a second two numbers a head: how much a
// token is written, how much is forgotten. A convolution mixes queries, keys and values of four
// tokens. Each of H value heads, of which several share a key head, holds a state of d x e. A chunk
// of Q tokens computes by the WY form (section 3.3; fla-org/flash-linear-attention,
// ops/gated_delta_rule/chunk.py):
//   A = K K^T                     2 Q^2 d H
//   (I + A)^-1                    Q^3 / 3 H           kept
//   W and U from it               2 Q^2 (d + e) H     made once more for the backward pass
//   U - W S and the states K^T V  4 Q d e H           likewise
//   Q S                           2 Q d e H
//   (Q K^T) V                     2 Q^2 (d + e) H     scores stay on the chip
// Kimi Linear (arXiv 2510.26692) has a decay for every channel of a key, which, as the gate, is
// made through a low rank on every device; its products are as many. Kimi K3 makes the gate
// directly, Ling 3 both. Heads are cut over the tensor group. The state passes through a whole
// sequence: context parallelism is refused. The model's own FLOPs count 8 d e H a token for the
// rule and 2 a tap for the convolution (Megatron-LM, training/training.py).
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

/// What the products of one device read and write, in bytes.
struct Tensors {
  double keys, values, corrected, inverse, states;
  Tensors(const Share& share, const GatedDelta& d, const Chunks& chunks) {
    const double t = as_double(share.options.tensor), each = share.element * chunks.tokens() / t;
    const double heads = as_double(d.value_heads);
    keys = each * as_double(d.keys());
    values = each * as_double(d.values());
    corrected = each * heads * as_double(d.key_dim);
    inverse = each * heads * as_double(chunks.length);
    states = share.element * as_double(chunks.count) * heads / t * as_double(d.key_dim) *
             as_double(d.value_dim);
  }
};

ChunkedCore rule(const Share& share, const GatedDelta& d) {
  const Chunks chunks = chunks_of(share, d.chunk);
  const int64_t q = chunks.length, n = chunks.count * (d.value_heads / share.options.tensor);
  const Tensors b(share, d, chunks);
  const ChunkProduct scores{{n, q, q, d.key_dim}, b.keys, b.inverse};
  const ChunkProduct wy{
      {n, q, d.key_dim + d.value_dim, q}, b.inverse + b.keys + b.values, b.corrected + b.values};
  const ChunkProduct corrected{
      {n, q, d.value_dim, d.key_dim}, b.corrected + b.values + b.states, b.values};
  const ChunkProduct state{{n, d.key_dim, d.value_dim, q}, b.keys + b.values, b.states};
  const ChunkProduct recalled{{n, q, d.value_dim, d.key_dim}, b.keys + b.states, b.values};
  const ChunkProduct within{{n, q, q, d.key_dim + d.value_dim}, 2 * b.keys + b.values, b.values};
  return {.products = {scores, wy, corrected, state, recalled, within},
          .again = {wy, corrected, state},
          .states = b.states,
          .saved = b.inverse + share.bytes(d.values() / share.options.tensor),
          .model_flops = 8 * share.all_tokens * as_double(d.value_heads) * as_double(d.key_dim) *
                         as_double(d.value_dim)};
}

/// Inverts the triangle of every chunk and head. Its gradient is two products.
Operation inverse(const Share& share, const GatedDelta& d) {
  const Chunks chunks = chunks_of(share, d.chunk);
  const int64_t q = chunks.length, n = chunks.count * (d.value_heads / share.options.tensor);
  const double bytes = Tensors(share, d, chunks).inverse;
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.forward.front().flops = as_double(n) * as_double(q) * as_double(q) * as_double(q) / 3;
  operation.input_gradient.assign(
      2, gemm(share.dtype, Direction::input_gradient, {n, q, q, q}, 2 * bytes, bytes));
  return operation;
}

/// Queries, keys, values and the gate; how much of a token is written, and its decay.
Operations direct_inputs(const Share& share, const GatedDelta& d) {
  constexpr int64_t of_a_head = 2;  // the decay and its bias; likewise numbers of a token
  return {mixer_inputs(share, d.convolved() + d.values(), false),
          mixer_inputs(share, of_a_head * d.value_heads, false),
          head_parameters(share, as_double(of_a_head * d.value_heads))};
}

/// From a low rank, which every device has, to its heads.
Operation expanded(const Share& share, int64_t rank, int64_t out) {
  Operation operation = linear(
      share,
      {.in = rank, .out = out, .split = Split::column, .tokens = share.tokens, .bias = false});
  operation.saved = share.bytes(out / share.options.tensor);
  return operation;
}

/// To the ranks of decays and gate, in one product.
Operations ranks(const Share& share, const GatedDelta& d) {
  const int64_t width = d.rank + d.gate_rank;
  if (width == 0) return {};
  Operation down = linear(
      share, {.in = share.shape.hidden, .out = width, .tokens = share.tokens, .bias = false});
  down.saved = share.bytes(width);
  return {down};
}

/// The same with a decay for every channel. It and the gate go through low ranks or not.
Operations channel_inputs(const Share& share, const GatedDelta& d) {
  const int64_t channels = d.value_heads * d.key_dim;
  const int64_t direct = (d.rank == 0 ? channels : 0) + (d.gate_rank == 0 ? d.values() : 0);
  Operations operations{mixer_inputs(share, d.convolved() + d.value_heads + direct, false)};
  append(operations, ranks(share, d));
  if (d.rank > 0) operations.push_back(expanded(share, d.rank, channels));
  if (d.gate_rank > 0) operations.push_back(expanded(share, d.gate_rank, d.values()));
  operations.push_back(head_parameters(share, as_double(d.value_heads + channels)));
  return operations;
}

}  // namespace

Operations gated_delta(const Share& share) {
  const GatedDelta& d = required(share.shape.kinds.gated_delta, "dimensions of gated delta blocks");
  const int64_t t = share.options.tensor;
  Operations operations{enter_region(share, Part::other, share.shape.hidden)};
  append(operations, d.channel_decay ? channel_inputs(share, d) : direct_inputs(share, d));
  append(operations, {convolution(share, {d.convolved() / t, d.convolution, false}),
                      inverse(share, d), chunked(share, rule(share, d)),
                      gated_norm(share, {d.values() / t, as_double(d.value_dim), false}),
                      output_projection(share, d.values() / t, false)});
  return operations;
}

}  // namespace pipewright::transformer
