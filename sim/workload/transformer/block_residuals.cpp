// Attention residuals: a branch reads a weighted sum of earlier results in place of the sum of all
// of them (Kimi K3; torchtitan, models/kimi_k3/model.py).
//
// Blocks stand in groups. A group's branches add up to one tensor. Before a branch, each of the n
// tensors that it may read (those of the groups before, the embedding as the first, and its own
// group's so far) is normed and scored by a vector; a softmax of the n scores of a token weighs
// them. One kernel reads the n tensors and writes their sum. Its gradient reads them and the sum's
// gradient, and adds to the n gradients: 3 n + 1 tensors. It keeps the weights, in fp32, and its
// own group's sum. The sum of a branch's result begins anew at a group, which saves an addition;
// that is left out. What goes from stage to stage is all n tensors, and a stage keeps those that it
// got (torchtitan can leave out those that a stage already has). Gains and scores of a branch are 2
// h parameters on every device.
#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

Operations attended_residuals(const Share& share, int64_t tensors) {
  if (share.shape.block_residuals == 0) return {};
  const double one = share.outer_bytes(share.shape.hidden), n = as_double(tensors);
  Operation operation{.part = Part::norm};
  operation.forward = {stream(share, Kernel::norm, Direction::forward, n * one, one)};
  operation.input_gradient = {
      stream(share, Kernel::norm, Direction::input_gradient, (2 * n + 1) * one, n * one)};
  constexpr double fp32 = 4;
  operation.saved = fp32 * as_double(share.outer_tokens) * n;
  operation.parameters = operation.device_parameters = 2 * as_double(share.shape.hidden);
  return {operation};
}

double received_residuals(const Share& share, int64_t block) {
  return as_double(share.shape.groups_before(block)) * share.outer_bytes(share.shape.hidden);
}

}  // namespace pipewright::transformer
