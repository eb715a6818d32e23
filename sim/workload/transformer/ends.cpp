// The two ends of a transformer: embedding, and head with its loss.
//
// The vocabulary V is cut over the tensor group, rounded up to a multiple of it (published runs pad
// further: give the padded V). Device bytes, n tokens:
//
//   embedding  gathers n h, adds learned positions, dropout; its gradient is scattered into the
//              main gradient. It keeps the dropout mask and the token numbers.
//   head       final norm, logits and their loss (loss.cpp); it keeps the norm's input and output.
//
// A head that tells a sequence's class has a dense layer with tanh and the classes, both over one
// token of each sequence (BERT's pooler); its loss is nothing.
//
// Modules that predict further tokens (prediction.cpp) stand in the head's layer.
//
// An encoder's head is BERT's masked language model (arXiv 1810.04805): the 15 % of masked tokens
// only (all under `loss: torch`: transformers, models/bert/modeling_bert.py, BertOnlyMLMHead), a
// dense layer with activation and norm before the logits; next-sentence prediction and the pooler
// are left out. All products here stay out of fp8 and nvfp4.
#include "base/units.hpp"
#include "workload/transformer/shards.hpp"
#include "workload/transformer/share.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright::transformer {
namespace {

/// The table as the weight of a product with one row of it for every token.
Operation table_on_grid(const Share& share) {
  return on_grid(share, {.m = share.tokens * share.options.tensor_grid.token_parts(),
                         .n = share.shape.hidden,
                         .k = device_vocabulary(share) * share.options.tensor,
                         .turned = true,  // blocks begin where turned products leave their outputs
                         .picks_rows = true});
}

Operation token_embedding(const Share& share, int64_t positions) {
  const bool is_line = share.options.tensor_grid.is_line();
  const double hidden = as_double(share.shape.hidden);
  const double bytes =
      is_line ? share.bytes(share.shape.hidden) : share.outer_bytes(share.shape.hidden);
  const double rows = share.shape.positions == Positions::learned ? as_double(positions) : 0;
  const double gradient = bytes / share.element * element_bytes(share.options.gradients);
  Operation operation = is_line ? Operation{} : table_on_grid(share);
  operation.parameters = hidden * (as_double(share.shape.ends.vocabulary) + rows);
  if (is_line) operation.device_parameters = hidden * as_double(device_vocabulary(share));
  operation.device_parameters += hidden * rows;
  const double read = rows > 0 ? 2 * bytes : bytes;  // of the tables alone
  operation.forward = {
      with_weights(stream(share, Kernel::embedding, Direction::forward, read, bytes), read)};
  operation.weight_gradient = {
      stream(share, Kernel::embedding, Direction::weight_gradient, bytes + gradient, gradient)};
  operation.saved = 8 * as_double(share.tokens);
  return operation;
}

Operation dropout(const Share& share) {
  Operation operation;
  if (!share.shape.dropout) return operation;
  const double bytes = share.outer_bytes(share.shape.hidden), mask = bytes / share.element;
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes, bytes + mask)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, bytes + mask, bytes)};
  operation.saved = mask;
  return operation;
}

/// The share of the tokens that reach the head: all, or BERT's masked ones. The models of
/// transformers, whose loss is PyTorch's, make logits of all.
Share head_share(const Share& share) {
  Share rows = share.wide();
  const bool takes_all = share.options.kernels.loss.kernel == LossKernel::torch;
  if (!share.shape.encoder || share.shape.ends.classes > 0 || takes_all) return rows;
  rows.tokens = rows.outer_tokens = (share.tokens * 15 + 99) / 100;
  rows.all_tokens *= as_double(rows.tokens) / as_double(share.tokens);
  return rows;
}

/// The class of every sequence: what is on all devices of a tensor group alike.
Operations classification(const Share& share) {
  Share rows = share;
  rows.tokens = rows.outer_tokens = share.options.micro_batch;
  rows.all_tokens = as_double(rows.tokens);
  const int64_t hidden = rows.shape.hidden;
  return {norm(share, false), linear(rows, {.in = hidden, .out = hidden, .tokens = rows.tokens}),
          linear(rows, {.in = hidden, .out = rows.shape.ends.classes, .tokens = rows.tokens})};
}

/// BERT's layer before the logits.
Operations transform(const Share& rows) {
  const int64_t hidden = rows.shape.hidden;
  Operation dense = linear(rows, {.in = hidden, .out = hidden, .tokens = rows.tokens});
  dense.saved = rows.outer_bytes(hidden);
  return {dense, norm_of(rows, hidden)};
}

Operations head_operations(const Share& rows, const Share& stream, const Operation& between) {
  if (rows.shape.ends.classes > 0) return classification(rows);
  Operations operations;
  if (rows.shape.encoder)
    append(operations, transform(stream));
  else
    operations.push_back(norm(stream, false));
  operations.push_back(between);
  append(operations, loss(rows));
  return operations;
}

}  // namespace

Operations embedded_words(const Share& share, int64_t positions) {
  return {token_embedding(share.promoted(), positions), leave_region(share.wide(), Part::other),
          dropout(share.promoted())};
}

Layer embedding(const Share& share, int64_t positions) {
  // The gathered rows are partial sums over the vocabulary's parts, as after a row-parallel layer.
  const Share wide = share.promoted();
  return embedding(wide, wide, leave_region(share.wide(), Part::other), positions);
}

Layer embedding(const Share& table, const Share& stream, const Operation& between,
                int64_t positions) {
  Operations operations{token_embedding(table, positions), between, dropout(stream),
                        copied_to_streams(stream)};
  if (stream.shape.alternating) append(operations, alternating_ends(stream));
  append(operations, block_inputs(stream));
  return assemble(
      {.name = "embedding", .kind = LayerKind::embedding, .output = stream_bytes(stream)},
      with_shards(stream, std::move(operations), {}), {});
}

Layer head(const Share& share) {
  const Share rows = head_share(share);
  const Operation between = enter_region(rows, Part::other, rows.shape.hidden);
  return head(share, share, between, further_losses(share));
}

Layer head(const Share& table, const Share& stream, const Operation& between, Operations losses) {
  const Share rows = head_share(table);
  if (stream.shape.alternating)
    append(losses, alternating_ends(head_share(stream)));
  else if (stream.shape.streams > 1)
    append(losses, summed_streams(head_share(stream), true));
  append(losses, attended_residuals(head_share(stream),
                                    stream.shape.groups_before(stream.shape.layers) + 1));
  append(losses, head_operations(rows, head_share(stream), between));
  Layer layer = assemble({.name = "head", .kind = LayerKind::head, .input = stream_bytes(stream)},
                         with_shards(rows, std::move(losses), {}), {});
  if (rows.shape.ends.classes > 0) return layer;
  layer.passing.transient += whole_bytes(loss_workspace(rows));
  if (rows.shape.ends.tied) layer.tied.device_parameters = table_numbers(rows);
  return layer;
}

}  // namespace pipewright::transformer
