// The two ends of a transformer: embedding, and head with its loss.
//
// The vocabulary V is cut over the tensor group, rounded up to a multiple of it (published runs pad
// further: give the padded V). Device bytes, n tokens:
//
//   embedding  gathers n h, adds learned positions, dropout; its gradient is scattered into the
//              main gradient. It keeps the dropout mask and the token numbers.
//   head       final norm, logits = X W^T, softmax cross entropy in fp32 (arXiv 2205.05198): keeps
//              the norm's input and output and 4 n V / t bytes of probabilities; in the backward
//              pass an fp32 gradient and its copy in the run's precision come on top. A fused
//              loss keeps the logits as they are, reads them once in each pass and leaves the
//              gradient in their place (Dao-AILab/flash-attention, ops/triton/cross_entropy.py;
//              Liger kernels, arXiv 2410.10989).
//
// A head that tells a sequence's class has a dense layer with tanh and the classes, both over one
// token of each sequence (BERT's pooler); its loss is nothing.
//
// Where logits are capped (Gemma 2, arXiv 2408.00118), a pass over them comes on top. Modules that
// predict further tokens (prediction.cpp) stand in the head's layer.
//
// An encoder's head is BERT's masked language model (arXiv 1810.04805): the 15 % of masked tokens
// only, a dense layer with activation and norm before the logits; next-sentence prediction and the
// pooler are left out. All products here stay out of fp8 and nvfp4.
#include "base/units.hpp"
#include "workload/transformer/shards.hpp"
#include "workload/transformer/share.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright::transformer {
namespace {

int64_t divide_up(int64_t n, int64_t parts) { return (n + parts - 1) / parts; }

/// V / t, rounded up.
int64_t device_vocabulary(const Share& share) {
  return divide_up(share.shape.ends.vocabulary, share.options.tensor);
}

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

/// The share of the tokens that reach the head: all, or BERT's masked ones.
Share head_share(const Share& share) {
  Share rows = share.wide();
  if (!share.shape.encoder || share.shape.ends.classes > 0) return rows;
  rows.tokens = rows.outer_tokens = divide_up(share.tokens * 15, 100);
  rows.all_tokens *= as_double(rows.tokens) / as_double(share.tokens);
  return rows;
}

Operation logits_on_grid(const Share& rows) {
  Operation operation = linear(rows, {.in = rows.shape.hidden,
                                      .out = device_vocabulary(rows) * rows.options.tensor,
                                      .split = Split::column,
                                      .tokens = rows.tokens});
  if (rows.shape.ends.tied) operation.parameters = operation.device_parameters = 0;
  return operation;
}

/// The logits' product, in the activations' type.
Operation logits(const Share& rows) {
  if (!rows.options.tensor_grid.is_line()) return logits_on_grid(rows);
  const int64_t hidden = rows.shape.hidden, vocabulary = device_vocabulary(rows);
  const double e = rows.element, w = as_double(hidden) * as_double(vocabulary);
  const double x = e * as_double(rows.tokens) * as_double(hidden);
  const double y = e * as_double(rows.tokens) * as_double(vocabulary);
  const double gradient = element_bytes(rows.options.gradients) * w;
  Operation operation;
  operation.forward = {with_weights(
      gemm(rows.dtype, Direction::forward, {1, rows.tokens, vocabulary, hidden}, x + e * w, y),
      e * w)};
  operation.input_gradient = {with_weights(gemm(rows.dtype, Direction::input_gradient,
                                                {1, rows.tokens, hidden, vocabulary}, y + e * w, x),
                                           e * w)};
  operation.weight_gradient = {gemm(rows.dtype, Direction::weight_gradient,
                                    {1, vocabulary, hidden, rows.tokens}, y + x + gradient,
                                    gradient)};
  const double parameters = as_double(hidden) * as_double(rows.shape.ends.vocabulary);
  operation.model_flops = 2 * rows.all_tokens * parameters;
  if (!rows.shape.ends.tied) {
    operation.parameters = parameters;
    operation.device_parameters = w;
  }
  return operation;
}

/// Cast to fp32, log-softmax, and the gradient back in the run's precision. Fused, it reads the
/// logits and writes their gradient over them, which the backward pass scales.
Operation cross_entropy(const Share& rows) {
  const double numbers = as_double(rows.tokens) * as_double(device_vocabulary(rows));
  const double narrow = rows.element * numbers, wide = 4 * numbers;
  const bool fused = rows.options.kernels.fused_loss;
  const Kernel kernel = fused ? Kernel::fused_loss : Kernel::cross_entropy;
  Operation operation;
  operation.forward = {stream(rows, kernel, Direction::forward, fused ? narrow : narrow + wide,
                              fused ? narrow : wide + wide)};
  operation.input_gradient = {stream(rows, kernel, Direction::input_gradient,
                                     fused ? narrow : 2 * wide, fused ? narrow : wide + narrow)};
  if (rows.options.tensor > 1)  // a row's maximum, sum and target: three numbers in fp32
    operation.forward_collective = CollectiveWork{
        CollectiveKind::all_reduce,
        rows.options.tensor_grid.is_line() ? rows.tensor_axis : width_axis(rows, true),
        Bytes{12 * rows.tokens}};
  operation.saved = fused ? narrow : wide;
  return operation;
}

/// A tanh of the logits, which a fused loss has among its own.
Operation capped(const Share& rows) {
  const double bytes = rows.element * as_double(rows.tokens) * as_double(device_vocabulary(rows));
  Operation operation;
  operation.forward = {stream(rows, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(rows, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  return operation;
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

Operations loss(const Share& rows) {
  Operations operations{logits(rows)};
  if (rows.shape.ends.soft_cap && !rows.options.kernels.fused_loss)
    operations.push_back(capped(rows));
  operations.push_back(cross_entropy(rows));
  return operations;
}

Layer embedding(const Share& share, int64_t positions) {
  // The gathered rows are partial sums over the vocabulary's parts, as after a row-parallel layer.
  return embedding(share, share, leave_region(share.wide(), Part::other), positions);
}

Layer embedding(const Share& table, const Share& stream, const Operation& between,
                int64_t positions) {
  return assemble(
      {.name = "embedding",
       .kind = LayerKind::embedding,
       .output = stream.outer_bytes(stream.shape.hidden)},
      with_shards(stream, {token_embedding(table, positions), between, dropout(stream)}, {}), {});
}

Layer head(const Share& share, const Operations& last_block) {
  const Share rows = head_share(share);
  const Operation between = enter_region(rows, Part::other, rows.shape.hidden);
  return head(share, share, between, predictions(share, last_block));
}

Layer head(const Share& table, const Share& stream, const Operation& between,
           Operations predictions) {
  const Share rows = head_share(table);
  append(predictions, head_operations(rows, head_share(stream), between));
  Layer layer = assemble(
      {.name = "head", .kind = LayerKind::head, .input = stream.outer_bytes(stream.shape.hidden)},
      with_shards(rows, std::move(predictions), {}), {});
  if (rows.shape.ends.classes > 0) return layer;
  const double numbers = as_double(device_vocabulary(rows)) * as_double(rows.shape.hidden);
  layer.transient += whole_bytes(rows.element * numbers);  // the weights' gradient, to be added up
  const bool reads_table = rows.shape.ends.tied || rows.shape.ends.predicted > 0;
  if (reads_table) layer.device_tied_parameters = numbers;
  return layer;
}

}  // namespace pipewright::transformer
