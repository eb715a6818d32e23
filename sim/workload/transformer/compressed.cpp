// Attention to compressed keys (DeepSeek-V4; the layers are those of transformers'
// deepseek_v4/modeling_deepseek_v4.py and of the model's inference/model.py).
//
// Queries are made through a low rank and normed by heads without a gain. All heads share one key
// of d numbers, which is the value too. A query sees the last w tokens, and keys that stand for m
// tokens each:
//   few-compressed    m is small. A key is a weighted mean of 2 m tokens, its own and the m before,
//                     by two products 2 d wide. An indexer, with compressed keys of its own,
//                     chooses k of them for each query.
//   many-compressed   m is large. A key is a weighted mean of its m tokens, by two products d wide.
//                     A query sees all keys before it.
// Of s tokens s / m keys are made. The pairs of a query t and such a key are min(t / m, k), those
// of all queries k (k m + 1) / 2 + (s - k m) k with k at most s / m. The heads' output is rotated
// back and goes to the stream by two products: each group of heads to a rank of its own, then all
// ranks. All devices of a tensor group make keys and choose; heads, and groups of them, are cut.
// Left out: the bytes of more than one group's heads that the first of these products reads.
#include <algorithm>

#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

const Compression& compression_of(const Share& share) {
  return required(share.shape.attention.compression, "compressed keys have ratios");
}

/// Tokens that a key of the block stands for; 0: it has none such.
int64_t ratio_of(const Share& share, int64_t block) {
  switch (share.shape.mixer(block)) {
    case Mixer::few_compressed:
      return compression_of(share).few;
    case Mixer::many_compressed:
      return compression_of(share).many;
    default:
      return 0;
  }
}

/// A product of the stream that all devices make whole, and keep.
Operation made_whole(const Share& share, int64_t out) {
  Operation operation = linear(
      share, {.in = share.shape.hidden, .out = out, .tokens = share.outer_tokens, .bias = false});
  operation.saved = share.outer_bytes(out);
  return operation;
}

/// Weighted means of what two products of `width` made, `halves` of which a key is made of; a norm.
Operation pooled(const Share& share, int64_t ratio, int64_t width, int64_t halves) {
  const double in = 2 * share.outer_bytes(width * halves);
  const double out = share.outer_bytes(width) / as_double(ratio);
  Operation operation{.part = Part::latent};
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, in, out)};
  operation.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, in + out, in)};
  operation.saved = out;
  operation.parameters = operation.device_parameters =
      as_double(ratio * halves * width) + as_double(width);
  return operation;
}

/// Keys of `width` numbers, each of which stands for `ratio` tokens.
Operations compressed_keys(const Share& share, int64_t ratio, int64_t width, bool overlap) {
  const int64_t halves = overlap ? 2 : 1;
  return {made_whole(share, 2 * halves * width), pooled(share, ratio, width, halves)};
}

/// The choice of the best keys: keys and queries of the indexer's own, and a weight for each head.
Operations chosen(const Share& share, const Indexer& indexer, int64_t ratio) {
  Operations operations = compressed_keys(share, ratio, indexer.head_dim, true);
  operations.push_back(made_whole(share, indexer.heads));
  Operation queries = linear(share, {.in = share.shape.attention.query_rank,
                                     .out = indexer.heads * indexer.head_dim,
                                     .tokens = share.tokens,
                                     .bias = false});
  queries.saved = share.bytes(indexer.heads * indexer.head_dim);
  operations.push_back(queries);
  operations.push_back(scored(share, indexer, share.options.sequence / ratio));
  return operations;
}

/// The gain of a norm over something `width` wide that the product before has made.
Operation normed(const Share& share, int64_t width) {
  Operation operation = norm_of(share, width);
  operation.part = Part::latent;
  return operation;
}

/// From the heads back to the stream.
Operations low_rank_output(const Share& share, int64_t context_width) {
  const LowRankOutput& output = required(share.shape.attention.output, "a low-rank output");
  const int64_t all = context_width * share.options.tensor;
  const double bytes = share.bytes(context_width);
  Operation back;  // rotates what the values' rotation left in the sums
  back.forward = {stream(share, Kernel::elementwise, Direction::forward, bytes, bytes)};
  back.input_gradient = {
      stream(share, Kernel::elementwise, Direction::input_gradient, bytes, bytes)};
  Operation groups = linear(share, {.in = all / output.groups,
                                    .out = output.groups * output.rank,
                                    .split = Split::column,
                                    .tokens = share.tokens,
                                    .bias = false});
  groups.saved = bytes * (1 + (share.narrow() ? share.operand / share.element : 0));
  Operation ranks = linear(share, {.in = output.groups * output.rank,
                                   .out = share.shape.hidden,
                                   .split = Split::row,
                                   .tokens = share.tokens,
                                   .bias = false});
  ranks.saved = share.bytes(output.groups * output.rank / share.options.tensor);
  return {back, groups, ranks};
}

}  // namespace

double Core::more_pairs(int64_t sequence) const {
  if (more_keys == 0) return 0;
  const double s = as_double(sequence), k = as_double(more_reach);
  const double m = s / as_double(more_keys);
  return k * (k * m + 1) / 2 + (s - k * m) * k;
}

void see_compressed(const Share& share, int64_t block, Core& core) {
  const int64_t ratio = ratio_of(share, block);
  if (ratio == 0) return;
  core.more_keys = core.more_reach = share.options.sequence / ratio;
  if (share.shape.mixer(block) == Mixer::few_compressed)
    core.more_reach =
        std::min(core.more_reach,
                 required(share.shape.attention.indexer, "a choice of compressed keys").keys);
}

Operations compressed_attention(const Share& share, int64_t block) {
  const AttentionDimensions& shape = share.shape.attention;
  const int64_t ratio = ratio_of(share, block), rank = shape.query_rank;
  const int64_t keys = shape.kv_heads * shape.head_dim * (shape.values_are_keys ? 1 : 2);
  Operations operations{made_whole(share, rank), normed(share, rank), made_whole(share, keys),
                        normed(share, shape.head_dim)};
  const bool few = share.shape.mixer(block) == Mixer::few_compressed;
  if (ratio > 0) append(operations, compressed_keys(share, ratio, shape.head_dim, few));
  operations.push_back(
      enter_region(share, Part::latent, rank + keys + (ratio > 0 ? keys / ratio : 0)));
  if (few)
    append(operations,
           chosen(share, required(shape.indexer, "a choice of compressed keys"), ratio));
  Operation queries = linear(share, {.in = rank,
                                     .out = shape.heads * shape.head_dim,
                                     .split = Split::column,
                                     .part = Part::latent,
                                     .tokens = share.tokens,
                                     .bias = false});
  queries.saved = share.bytes(share.heads() * shape.head_dim);
  operations.push_back(queries);
  append(operations, between_projections(share, block));
  append(operations, low_rank_output(share, share.heads() * shape.head_dim));
  return operations;
}

}  // namespace pipewright::transformer
