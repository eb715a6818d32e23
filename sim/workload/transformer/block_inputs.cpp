// Embeddings for every block (Gemma 3n and Gemma 4, transformers' gemma4/modeling_gemma4.py,
// "per-layer inputs").
//
// A table of V' words has g numbers of a token for each of L blocks. They are added to L g numbers
// that a product makes of the token's embedding, with a norm over g between. At the end of a block
// the stream makes g numbers by a product; an activation, times the block's g of the token; a
// product back to h, a norm, and a sum. The table is not cut over tensor ranks, nor are products.
#include "base/units.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

Operations block_inputs(const Share& share) {
  const BlockInputs& inputs = share.shape.inputs;
  if (inputs.width == 0) return {};
  const int64_t width = inputs.width * share.shape.layers;
  const double bytes = share.outer_bytes(width);
  const double gradient = bytes / share.element * element_bytes(share.options.gradients);
  Operation table;
  table.parameters = table.device_parameters = as_double(inputs.vocabulary) * as_double(width);
  table.forward = {
      with_weights(stream(share, Kernel::embedding, Direction::forward, bytes, bytes), bytes)};
  table.weight_gradient = {
      stream(share, Kernel::embedding, Direction::weight_gradient, bytes + gradient, gradient)};
  Operation made =
      linear(share.wide(),
             {.in = share.shape.hidden, .out = width, .tokens = share.outer_tokens, .bias = false});
  made.saved = bytes;
  Operation norm = norm_of(share, width);
  norm.parameters = norm.device_parameters = as_double(inputs.width);
  norm.saved = 0;
  Operation sum;
  sum.forward = {stream(share, Kernel::elementwise, Direction::forward, 2 * bytes, bytes)};
  return {table, made, norm, sum};
}

Operations with_block_input(const Share& share) {
  const int64_t width = share.shape.inputs.width, hidden = share.shape.hidden;
  if (width == 0) return {};
  const double bytes = share.outer_bytes(width);
  Operation gate =
      linear(share, {.in = hidden, .out = width, .tokens = share.outer_tokens, .bias = false});
  gate.saved = share.outer_bytes(hidden);
  Operation times;
  times.forward = {stream(share, Kernel::elementwise, Direction::forward, 2 * bytes, bytes)};
  times.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, 3 * bytes, 2 * bytes)};
  times.saved = 2 * bytes;  // the gate's input and the block's own embedding
  Operation back =
      linear(share, {.in = width, .out = hidden, .tokens = share.outer_tokens, .bias = false});
  back.saved = bytes;
  return {gate, times, back, norm_of_branch(share), residual(share, false)};
}

}  // namespace pipewright::transformer
