// The decoder of an encoder-decoder model (T5, arXiv 1910.10683): blocks that attend to themselves,
// then to the encoder's output.
//
// With n tokens of the decoder and n' of the encoder on a device, cross-attention projects n to
// queries, n' to keys and values, whose gradients add to that of the encoder's output. What leaves
// a block is its own stream and the encoder's output, which the blocks after it need: n h + n' h.
// The encoder's last norm and the decoder's embedding, whose weights are the encoder's, are in the
// decoder's first block; the norm's output is kept there, once for all blocks.
// Where the encoder hears sound, the embedding with its positions is the decoder's own.
// Left out: the copy of the embedding's weights where the decoder begins in another stage; relative
// positions.
#include <fmt/format.h>

#include "workload/transformer/core.hpp"
#include "workload/transformer/shards.hpp"

namespace pipewright::transformer {
namespace {

Core cross_core(const Share& share, const Share& source) {
  const int64_t width = share.shape.attention.head_dim, tokens = source.options.sequence;
  return {.heads = share.heads(),
          .kv_heads = share.kv_heads(),
          .query = width,
          .value = width,
          .reach = tokens,
          .source = tokens,
          .all_heads = share.shape.attention.heads};
}

Operation projection(const Share& share, int64_t heads) {
  const int64_t device_width = heads * share.shape.attention.head_dim;
  Operation operation = linear(share, {.in = share.shape.hidden,
                                       .out = device_width * share.options.tensor,
                                       .split = Split::column,
                                       .tokens = share.tokens});
  operation.saved = share.bytes(device_width);
  return operation;
}

Operation keys_and_values(const Share& source) {
  Operation operation = projection(source, 2 * source.kv_heads());
  leave_out_key_biases(source, operation);
  return operation;
}

Operations cross_attention(const Share& share, const Share& source) {
  const Core core = cross_core(share, source);
  const int64_t hidden = share.shape.hidden;
  return {enter_region(share, Part::other, hidden),
          projection(share, share.heads()),
          joined(source),  // every block adds to the gradient of the encoder's output
          enter_region(source, Part::other, hidden),
          keys_and_values(source),
          attention_core(share, core),
          output_projection(share, core.context_width(), std::nullopt),
          leave_region(share, Part::other)};
}

/// Returns what stands between the encoder and the first block.
Operations beginning(const Share& share, const Share& source) {
  if (share.shape.sound) {
    Operations operations{norm(source, false)};
    append(operations, embedded_words(share, share.options.sequence));
    return operations;
  }
  Operation picked;
  const double bytes = share.outer_bytes(share.shape.hidden);
  picked.forward = {stream(share, Kernel::embedding, Direction::forward, bytes, bytes)};
  picked.weight_gradient = {
      stream(share, Kernel::embedding, Direction::weight_gradient, 2 * bytes, bytes)};
  return {norm(source, false), picked};
}

}  // namespace

Layer decoder_block(const Share& share, const Share& source, int64_t block,
                    const Recompute& recompute) {
  const double stream = share.outer_bytes(share.shape.hidden);
  Operations operations;
  if (block == 0) append(operations, beginning(share, source));
  operations.push_back(norm(share, true));
  append(operations, attention(share, block));
  append(operations, {leave_region(share, Part::other), residual(share, true), norm(share, true)});
  append(operations, cross_attention(share, source));
  append(operations, {residual(share, true), norm(share, true),
                      enter_region(share, Part::mlp, share.shape.hidden)});
  append(operations, mlp(share, share.shape.ffn));
  append(operations, {leave_region(share, Part::mlp), residual(share, false)});
  Layer layer = assemble({.name = fmt::format("decoder block {}", block),
                          .kind = LayerKind::block,
                          .input = stream,
                          .output = stream + source.outer_bytes(share.shape.hidden),
                          .around = stream},
                         with_shards(share, std::move(operations), recompute), recompute);
  layer.tied.has_table = block == 0 && share.shape.sound.has_value();
  return layer;
}

}  // namespace pipewright::transformer
