// Time mixing: RWKV-7's generalised delta rule (arXiv 2503.14456; transformers,
// rwkv7/modular_rwkv7.py).
//
// Six mixtures of a token and the one before it make receptance r, decay w, key k, value v, rate a
// and gate g: r, k and v by products, w, a and g through low ranks. Behind the first block v is
// mixed with the first block's, by a share made through a rank as well. Each of H heads of d
// numbers holds a state of d x d. A chunk of Q tokens computes (rwkv7_chunked):
//   k and r against k and the rate's     8 Q^2 d H    four squares of scores
//   (I + A)^-1                           Q^3 / 3 H    kept
//   scores times values                  8 Q^2 d H    four products
//   what reads and writes the state      8 Q d d H    made once more for the backward pass
// A norm over each head, with gains and biases, a sum by head and the gate follow, then a product.
// Heads are cut over the tensor group, what leads to low ranks is not. The state passes through a
// whole sequence: context parallelism is refused. The MLP reads a mixture with the token before,
// too. The model's own FLOPs count 8 d d H a token. Left out: the norm behind the embedding, and
// that the first block's values go to all stages.
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

const TimeMixing& mixing_of(const Share& share) {
  return required(share.shape.kinds.time_mixing, "dimensions of time mixing");
}

/// To the ranks, in one product on every device.
Operation to_ranks(const Share& share, int64_t width) {
  Operation down = linear(
      share, {.in = share.shape.hidden, .out = width, .tokens = share.tokens, .bias = false});
  down.saved = share.bytes(width);
  return down;
}

/// From a rank to all channels, with `biases` vectors of them.
Operation from_rank(const Share& share, int64_t rank, int biases) {
  const int64_t hidden = share.shape.hidden, channels = hidden / share.options.tensor;
  Operation up = linear(
      share,
      {.in = rank, .out = hidden, .split = Split::column, .tokens = share.tokens, .bias = false});
  up.parameters += as_double(biases * hidden);
  up.device_parameters += as_double(biases * channels);
  up.saved = share.bytes(channels);
  return up;
}

ChunkedCore rule(const Share& share, const TimeMixing& m) {
  const Chunks chunks = chunks_of(share, m.chunk);
  const int64_t q = chunks.length, n = chunks.count * (m.heads / share.options.tensor);
  const int64_t d = share.shape.hidden / m.heads;
  const double channels = share.bytes(share.shape.hidden / share.options.tensor);
  const double square = share.element * as_double(n) * as_double(q) * as_double(q);
  const double states = 4 * as_double(n) * as_double(d) * as_double(d);
  const ChunkProduct scores{{n, q, 2 * q, 2 * d}, 4 * channels, 4 * square};
  const ChunkProduct values{{n, q, 2 * d, 2 * q}, 4 * square + 2 * channels, 2 * channels};
  const ChunkProduct read{{n, q, 2 * d, d}, 2 * channels + states, 2 * channels};
  const ChunkProduct written{{n, d, d, 2 * q}, 4 * channels, states};
  return {
      .products = {scores, values, read, written},
      .again = {scores, read, written},
      .states = states,
      .saved = square + 3 * channels,  // the inverse; rate, key and value as the rule reads them
      .model_flops = 8 * share.all_tokens * as_double(share.shape.hidden) * as_double(d)};
}

/// Inverts the triangle of every chunk and head. Its gradient is two products.
Operation triangles(const Share& share, const TimeMixing& m) {
  const Chunks chunks = chunks_of(share, m.chunk);
  const int64_t q = chunks.length, n = chunks.count * (m.heads / share.options.tensor);
  const double side = as_double(q), bytes = share.element * as_double(n) * side * side;
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.forward.front().flops = as_double(n) * side * side * side / 3;
  operation.input_gradient.assign(
      2, gemm(share.dtype, Direction::input_gradient, {n, q, q, q}, 2 * bytes, bytes));
  return operation;
}

/// The norm of every head with gains and biases, and vectors by which keys and receptance go in.
Operation heads_normed_and_gated(const Share& share) {
  const int64_t hidden = share.shape.hidden;
  Operation norm = gated_norm(share, {hidden / share.options.tensor, as_double(2 * hidden)});
  constexpr double vectors = 3;  // k_k, k_a and r_k
  norm.parameters += vectors * as_double(hidden);
  norm.device_parameters += vectors * as_double(hidden) / as_double(share.options.tensor);
  return norm;
}

}  // namespace

/// Makes `tensors` mixtures of a token and the one before it, each by a vector.
Operation token_shift(const Share& share, int64_t tensors) {
  const double one = share.bytes(share.shape.hidden), all = as_double(tensors) * one;
  Operation operation{.part = Part::attention};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, one, all)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, all + one, one)};
  operation.saved = all;
  operation.parameters = operation.device_parameters =
      as_double(tensors) * as_double(share.shape.hidden);
  return operation;
}

Operations time_mixing(const Share& share, bool first) {
  const TimeMixing& m = mixing_of(share);
  const int64_t hidden = share.shape.hidden, shares = first ? 0 : m.value_rank;
  constexpr int64_t mixtures = 6;
  Operations operations{enter_region(share, Part::other, hidden),
                        token_shift(share, mixtures),
                        mixer_inputs(share, 3 * hidden, false),
                        to_ranks(share, m.decay_rank + m.rate_rank + m.gate_rank + shares),
                        from_rank(share, m.decay_rank, 1),
                        from_rank(share, m.rate_rank, 1),
                        from_rank(share, m.gate_rank, 0)};
  if (shares > 0) operations.push_back(from_rank(share, shares, 1));
  append(operations,
         {triangles(share, m), chunked(share, rule(share, m)), heads_normed_and_gated(share),
          output_projection(share, hidden / share.options.tensor, false)});
  return operations;
}

}  // namespace pipewright::transformer
