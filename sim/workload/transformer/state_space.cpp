// Mamba 2: a state-space layer by heads (state-space duality, arXiv 2405.21060).
//
// One product makes z, x, B, C and the step of every head; a convolution mixes x, B and C of four
// tokens; each of H heads of P numbers holds a state of P x N, where G groups of heads share B and
// C; a norm gated by z and a product lead back. A chunk of Q tokens computes (section 6):
//   C B^T                       2 Q^2 N G        made once more for the backward pass
//   the states B^T x            2 Q P N H        likewise
//   (L o C B^T) x and C h       2 Q (Q + N) P H
// The kernels are those of state-spaces/mamba, ops/triton/ssd_combined.py, which keep neither
// scores nor states. Under tensor parallelism heads and groups are cut (Megatron-LM's MambaMixer),
// so both must divide; the norm is by groups. The state passes through a whole sequence: context
// parallelism is refused. The model's own FLOPs count 7 P N H a token for the scan (Megatron-LM,
// training/training.py).
//
// Falcon-H1 (arXiv 2507.22448) has attention and such a layer side by side in a block: both read
// one norm's output in one region, and their results are added before they leave it. Most of its
// models multiply by z without a norm, which the scan's kernel does. Left out: the constants that
// it multiplies inputs and outputs by.
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/chunks.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

Operation scan(const Share& share, const StateSpace& s) {
  const int64_t t = share.options.tensor, heads = s.heads / t, groups = s.groups / t;
  const auto [q, n] = chunks_of(share, s.chunk);
  const double tokens = chunks_of(share, s.chunk).tokens(), e = share.element;
  const double x = e * tokens * as_double(heads * s.head_dim);
  const double b = e * tokens * as_double(groups * s.state);
  const double scores = 4 * tokens * as_double(q) * as_double(groups);
  const double states = 4 * as_double(n) * as_double(heads * s.head_dim) * as_double(s.state);
  const ChunkProduct cb{{n * groups, q, q, s.state}, 2 * b, scores};
  const ChunkProduct made{{n * heads, s.head_dim, s.state, q}, x + b, states};
  const ChunkProduct used{{n * heads, q, s.head_dim, q + s.state}, scores + x + b + states, x};
  return chunked(share,
                 {.products = {cb, made, used},
                  .again = {cb, made},
                  .states = states,
                  .saved = share.bytes(heads * s.head_dim),
                  .model_flops = 7 * share.all_tokens * as_double(s.inner()) * as_double(s.state)});
}

/// What the scan gives times a gate, after a norm or not.
Operation gated(const Share& share, const StateSpace& s) {
  const int64_t width = s.inner() / share.options.tensor;
  if (s.norm) return gated_norm(share, {width, as_double(s.inner())});
  return {};  // the scan's kernel multiplies by z
}

/// Adds the results of two branches, and their gradients of what both read.
Operation sum_of_branches(const Share& share) {
  const double bytes = share.bytes(share.shape.hidden);
  Operation sum;
  sum.forward = {stream(share, Kernel::elementwise, Direction::forward, 2 * bytes, bytes)};
  sum.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  return sum;
}

}  // namespace

Operations state_space(const Share& share) {
  const StateSpace& s = required(share.shape.kinds.state_space, "dimensions of state-space blocks");
  const int64_t t = share.options.tensor;
  constexpr double of_a_head = 3;  // A, D and the step's bias
  return {enter_region(share, Part::other, share.shape.hidden),
          mixer_inputs(share, s.inner() + s.convolved() + s.heads, s.bias),
          convolution(share, {s.convolved() / t, s.convolution, s.convolution_bias}),
          head_parameters(share, of_a_head * as_double(s.heads)),
          scan(share, s),
          gated(share, s),
          output_projection(share, s.inner() / t, s.bias)};
}

Operations attention_beside_state_space(const Share& share, int64_t block) {
  Operations operations = attention(share, block);
  Operations scan = state_space(share);
  scan.erase(scan.begin());  // the edge of the region, which both are in
  append(operations, std::move(scan));
  operations.push_back(sum_of_branches(share));
  return operations;
}

}  // namespace pipewright::transformer
