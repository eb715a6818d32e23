// Multi-token prediction: modules that predict the tokens after the next (DeepSeek-V3, arXiv
// 2412.19437, section 2.2).
//
// Module k norms the stream of the module before it, and the embeddings of the tokens k further on,
// puts both side by side and projects them, 2 h wide, back to h. A block as the last of the model
// follows, then a norm, and logits and loss by the head's weights. The embedding's weights are the
// model's own: where the head stands in another stage, that stage has a copy. All modules stand
// with the head (Megatron-LM's default).
#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

/// Rows of the table, whose gradient goes into its main gradient.
Operation embedded(const Share& share) {
  const double bytes = share.outer_bytes(share.shape.hidden);
  Operation operation;
  operation.forward = {stream(share, Kernel::embedding, Direction::forward, bytes, bytes)};
  operation.weight_gradient = {
      stream(share, Kernel::embedding, Direction::weight_gradient, 2 * bytes, bytes)};
  return operation;
}

Operation joined_stream(const Share& share) {
  const int64_t hidden = share.shape.hidden;
  Operation operation =
      linear(share, {.in = 2 * hidden, .out = hidden, .tokens = share.outer_tokens, .bias = false});
  operation.saved = share.outer_bytes(hidden);
  return operation;
}

/// The loss by weights that are counted with the head.
Operations further_loss(const Share& rows) {
  Operations operations = loss(rows);
  for (Operation& operation : operations) operation.parameters = operation.device_parameters = 0;
  return operations;
}

}  // namespace

Operations predictions(const Share& share, const Operations& block) {
  Operations operations;
  const Share rows = share.wide();
  for (int64_t module = 0; module < share.shape.ends.predicted; ++module) {
    append(operations,
           {embedded(share), norm(share, false), norm(share, false), joined_stream(share)});
    append(operations, block);
    append(operations, {norm(share, false), enter_region(rows, Part::other, share.shape.hidden)});
    append(operations, further_loss(rows));
  }
  return operations;
}

}  // namespace pipewright::transformer
