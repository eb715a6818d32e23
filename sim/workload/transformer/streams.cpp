// Hyper-connections: n residual streams in place of one (arXiv 2409.19606; with weights on a
// manifold 2512.24880, as DeepSeek-V4 has them).
//
// Before a branch all n h numbers of a token are normed without a gain and make (2 + n) n weights
// by one product: n to sum the streams up for the branch, n to add its result to them, n n to mix
// them. A few passes over those make the n n doubly stochastic (Sinkhorn), in one kernel. Behind
// the branch each stream is a sum of all n and the result. Between blocks n streams go on, and are
// what a block keeps and a stage sends; the sum of the streams is made before the last norm, by n
// weights. The embedding stands in all streams first.
#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

constexpr double fp32 = 4;

/// The product that makes `weights` weights of all streams of a token, with `more` biases and
/// gains.
Operation made_weights(const Share& share, int64_t weights, int64_t more) {
  const int64_t n = share.shape.streams, width = n * share.shape.hidden;
  Operation operation = linear(
      share.wide(), {.in = width, .out = weights, .tokens = share.outer_tokens, .bias = false});
  operation.parameters += as_double(weights + more);
  operation.device_parameters += as_double(weights + more);
  const double made = fp32 * as_double(share.outer_tokens) * as_double(weights);
  const double all = share.outer_bytes(width);
  operation.forward.insert(operation.forward.begin(),
                           stream(share, Kernel::norm, Direction::forward, all, 0));
  operation.forward.push_back(stream(share, Kernel::elementwise, Direction::forward, made, made));
  operation.input_gradient.insert(
      operation.input_gradient.begin(),
      stream(share, Kernel::elementwise, Direction::input_gradient, 2 * made, made));
  operation.saved = 2 * made;
  return operation;
}

}  // namespace

Operations summed_streams(const Share& share, bool last) {
  const int64_t n = share.shape.streams;
  const double one = share.outer_bytes(share.shape.hidden), all = as_double(n) * one;
  Operation sum;
  sum.forward = {stream(share, Kernel::elementwise, Direction::forward, all, one)};
  sum.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, one + 2 * all, all)};
  // The last sum has n weights, one gain and n biases; the others mix the streams too.
  return {last ? made_weights(share, n, 1) : made_weights(share, (2 + n) * n, 3), sum};
}

Operation spread_over_streams(const Share& share, bool keeps) {
  const double one = share.outer_bytes(share.shape.hidden);
  const double all = as_double(share.shape.streams) * one;
  Operation operation;
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, all + one, all)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 2 * all + one, all + one)};
  operation.saved = one + (keeps ? all : 0);
  return operation;
}

double stream_bytes(const Share& share) {
  return as_double(share.shape.streams) * share.promoted().outer_bytes(share.shape.hidden);
}

Operation copied_to_streams(const Share& share) {
  Operation operation;
  if (share.shape.streams == 1 || share.shape.alternating) return operation;
  const double one = share.outer_bytes(share.shape.hidden);
  const double all = as_double(share.shape.streams) * one;
  operation.forward = {stream(share, Kernel::memcpy, Direction::forward, one, all)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, all, one)};
  return operation;
}

}  // namespace pipewright::transformer
