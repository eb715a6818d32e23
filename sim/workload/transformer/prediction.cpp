// Multi-token prediction: modules that predict the tokens after the next (DeepSeek-V3, arXiv
// 2412.19437, section 2.2).
//
// Module k norms the stream of the module before it, and the embeddings of the tokens k further on,
// puts both side by side and projects them, 2 h wide, back to h. A block as the last of the model
// follows, then a norm. It hands on its own stream beside all that came in. The head makes logits
// and a loss of each by its own weights. The embedding's weights are the model's: a stage that has
// not the embedding has a copy. Where blocks are run again in full, modules are too, but not where
// only some layers of a stage are (Megatron-Core, multi_token_prediction.py).
#include <fmt/format.h>

#include "base/units.hpp"
#include "workload/transformer/shards.hpp"
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

Recompute recompute_of(const Recompute& options) {
  return options.blocks < 0 ? options : Recompute{};
}

}  // namespace

Layer prediction(const Share& share, int64_t module, const Operations& block) {
  const double stream = share.outer_bytes(share.shape.hidden);
  Operations operations{embedded(share), norm(share, false), norm(share, false),
                        joined_stream(share)};
  append(operations, block);
  operations.push_back(norm(share, false));
  const Recompute recompute = recompute_of(share.options.recompute);
  Layer layer = assemble({.name = fmt::format("prediction {}", module),
                          .kind = LayerKind::prediction,
                          .input = stream,
                          .output = as_double(1 + module) * stream,
                          .around = stream},
                         with_shards(share, std::move(operations), recompute), recompute);
  layer.tied.device_parameters = table_numbers(share.wide());
  return layer;
}

Operations further_losses(const Share& share) {
  const Share rows = share.wide();
  Operations operations;
  for (int64_t module = 0; module < share.shape.ends.predicted; ++module) {
    operations.push_back(enter_region(rows, Part::other, share.shape.hidden));
    Operations losses = loss(rows);
    // The head counts their weights.
    for (Operation& operation : losses) operation.parameters = operation.device_parameters = 0;
    append(operations, std::move(losses));
  }
  return operations;
}

}  // namespace pipewright::transformer
