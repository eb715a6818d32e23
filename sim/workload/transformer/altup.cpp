// Alternating updates: n streams of which one passes through a block (AltUp, arXiv 2301.13310), and
// learned residuals of low rank (LAuReL, arXiv 2411.07501), as Gemma 3n has them (transformers,
// gemma3n/modeling_gemma3n.py).
//
// In front of a block a norm and a product of the first stream make n numbers of a token, which an
// n x n^2 product makes n n weights: every stream becomes a sum of all, added to itself. Behind the
// block the same norm and product, of its result, make n weights by an n x n product: what the
// block added to the first stream, times its weight, is added to each. One kernel each reads and
// writes all streams. The embedding becomes n streams by n - 1 products of h h, and so the streams
// become one before the last norm, which takes their mean. Beside a mixer, a product of rank r of
// what it reads is normed and added. None of these weights is cut over tensor ranks. Left out: the
// streams' magnitudes, and the kernels that make few activations of an MLP other than zero.
#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

/// The norm and the product that make n numbers of one stream. `counts`: its weights are counted.
Operations routed_streams(const Share& share, bool counts) {
  const int64_t n = share.shape.streams, hidden = share.shape.hidden;
  Operation inner = norm_of(share, hidden);
  Operation made =
      linear(share.wide(), {.in = hidden, .out = n, .tokens = share.outer_tokens, .bias = false});
  made.saved = share.outer_bytes(n);
  if (!counts)
    for (Operation* one : {&inner, &made}) one->parameters = one->device_parameters = 0;
  return {inner, made};
}

/// A kernel that reads all streams and `more` tensors beside them, and writes all streams.
Operation over_streams(const Share& share, int64_t more, double parameters) {
  const double one = share.outer_bytes(share.shape.hidden);
  const double all = as_double(share.shape.streams) * one, beside = as_double(more) * one;
  Operation operation;
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, all + beside, all)};
  operation.input_gradient = {stream(share, Kernel::elementwise, Direction::input_gradient,
                                     2 * all + beside, all + beside)};
  operation.saved = beside;
  operation.parameters = operation.device_parameters = parameters;
  return operation;
}

}  // namespace

Operations predicted_streams(const Share& share) {
  if (!share.shape.alternating) return {};
  const double n = as_double(share.shape.streams);
  Operations operations = routed_streams(share, true);
  operations.push_back(over_streams(share, 0, n * n * n));
  return operations;
}

Operations corrected_streams(const Share& share) {
  if (!share.shape.alternating) return {};
  const double n = as_double(share.shape.streams);
  Operations operations = routed_streams(share, false);
  // The weights of the result's numbers, and those by which the first stream is scaled.
  operations.push_back(over_streams(share, 1, n * n + as_double(share.shape.hidden)));
  return operations;
}

Operations alternating_ends(const Share& share) {
  const int64_t hidden = share.shape.hidden;
  Operation made = linear(share.wide(), {.in = hidden,
                                         .out = (share.shape.streams - 1) * hidden,
                                         .tokens = share.outer_tokens,
                                         .bias = false});
  made.saved = share.outer_bytes(hidden);
  return {made, over_streams(share, 0, 0)};
}

Operations laurel(const Share& share) {
  const int64_t rank = share.shape.laurel, hidden = share.shape.hidden;
  if (rank == 0) return {};
  const Operation down =
      linear(share, {.in = hidden, .out = rank, .tokens = share.outer_tokens, .bias = false});
  Operation up =
      linear(share, {.in = rank, .out = hidden, .tokens = share.outer_tokens, .bias = false});
  up.saved = share.outer_bytes(rank);
  return {down, up, norm_of_branch(share), residual(share, false)};
}

}  // namespace pipewright::transformer
