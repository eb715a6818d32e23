// Lightning attention: linear attention with a decay of its own for every head (Lightning
// Attention-2, arXiv 2401.04658; MiniMax-01, 2501.08313).
//
// One product makes queries, keys and values, through SiLU, and a gate; a norm of all heads
// together, times the gate, and a product lead back. A chunk of Q = 256 tokens (MiniMax's
// block_size) computes for each of a heads of d numbers:
//   (Q K^T) V within the chunk    4 Q^2 d    scores stay on the chip, and are made once more back
//   Q S of the tokens before it   2 Q d^2
//   the state K^T V               2 Q d^2    made once more for the backward pass
// Heads are cut over the tensor group, which sums the squares of a token's norm unless it norms
// groups of heads by themselves (Ring-linear, arXiv 2510.19338), which also norms queries and keys
// by head. The state passes through a whole sequence: context parallelism is refused. The model's
// own FLOPs count 4 a d^2 a token.
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

constexpr int64_t chunk = 256;

/// Norms of queries and keys, every head by itself with the gains of one.
Operation heads_normed(const Share& share, int64_t width) {
  Operation operation{.part = Part::inner_norm};
  if (!share.shape.kinds.lightning.head_norms) return operation;
  const double bytes = share.bytes(2 * width);
  operation.forward = {stream(share, Kernel::norm, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(share, Kernel::norm, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  operation.parameters = operation.device_parameters =
      2 * as_double(share.shape.attention.head_dim);
  return operation;
}

/// SiLU of queries, keys and values, in place.
Operation activated(const Share& share, int64_t width) {
  const double bytes = share.bytes(width);
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  return operation;
}

Operation core(const Share& share) {
  const AttentionDimensions& a = share.shape.attention;
  const Chunks chunks = chunks_of(share, chunk);
  const int64_t q = chunks.length, d = a.head_dim, n = chunks.count * share.heads();
  const double one = share.element * chunks.tokens() * as_double(share.heads() * d);
  const double states = 4 * as_double(n) * as_double(d) * as_double(d);
  const ChunkProduct within{{n, q, q, 2 * d}, 3 * one, one};
  const ChunkProduct recalled{{n, q, d, d}, one + states, one};
  const ChunkProduct state{{n, d, d, q}, 2 * one, states};
  const ChunkProduct scores{{n, q, q, d}, 2 * one, one};
  return chunked(share, {.products = {within, recalled, state},
                         .again = {scores, state},
                         .states = states,
                         .saved = share.bytes(share.heads() * d),
                         .model_flops = 4 * share.all_tokens * as_double(a.heads) * as_double(d) *
                                        as_double(d)});
}

}  // namespace

Operations lightning(const Share& share) {
  const AttentionDimensions& a = share.shape.attention;
  const int64_t width = a.heads * a.head_dim, part = width / share.options.tensor;
  Operation norm = gated_norm(share, {part, as_double(width)});
  if (share.shape.kinds.lightning.norm_groups % share.options.tensor != 0)
    sum_squares(share, norm, 1);
  return {enter_region(share, Part::other, share.shape.hidden),
          mixer_inputs(share, 4 * width, false),
          activated(share, 3 * part),
          heads_normed(share, part),
          core(share),
          norm,
          output_projection(share, part, false)};
}

}  // namespace pipewright::transformer
