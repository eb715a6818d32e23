// The indexer of sparse attention (DeepSeek-V3.2, arXiv 2512.02556, section 2.1; the layers are
// those of its inference/model.py).
//
// Every token has one key of d numbers, with a layer norm, and a weight for each of H heads, both
// made of the residual stream; its queries are made of the low-rank queries of latent attention.
// Every query is scored against all keys before it: 2 d H FLOPs a pair of s (s + 1) / 2, one fp32
// number of which reaches memory. A pass over a row chooses k keys, which attention sees. Learning
// by those keys alone, in the stage of sparse training, takes two products over them.
// All devices of a tensor group compute the whole of it, for all need the choice. Left out: sums of
// attention's own scores, by which it learns; that inference scores in fp8.
#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {

/// A query sees its part of `keys`, which are as dense over the sequence everywhere.
Operation scored(const Share& share, const Indexer& indexer, int64_t keys_of_all) {
  const double s = as_double(share.options.sequence), all = as_double(keys_of_all);
  const double k = std::min(as_double(indexer.keys), all), every = s / std::max(all, 1.0);
  const double each = 2 * as_double(share.options.micro_batch) * as_double(indexer.heads) *
                      as_double(indexer.head_dim);
  const double queries = share.bytes(indexer.heads * indexer.head_dim);
  const double keys = share.bytes(indexer.head_dim) / every + share.bytes(indexer.heads);
  const double row = 4 * as_double(share.tokens);
  Work forward = stream(share, Kernel::attention, Direction::forward, queries + keys, row * all);
  forward.flops = each * s * (all + 1 / every) / 2;
  forward.shape = {share.options.micro_batch, indexer.heads, share.options.sequence,
                   indexer.head_dim};
  Work backward = stream(share, Kernel::attention, Direction::input_gradient,
                         queries + keys + row * k, queries + keys);
  backward.flops = 2 * each * (k * (k * every + 1) / 2 + (s - k * every) * k);
  backward.shape = forward.shape;
  Operation operation{.part = Part::attention};
  operation.forward = {forward,
                       stream(share, Kernel::elementwise, Direction::forward, row * all, row * k)};
  operation.input_gradient = {backward};
  operation.saved = row * k;
  operation.model_flops =
      2 * share.all_tokens * all * as_double(indexer.heads) * as_double(indexer.head_dim);
  return operation;
}

Operation indexer_inputs(const Share& share, const Indexer& indexer) {
  const int64_t out = indexer.head_dim + indexer.heads;
  Operation operation = linear(
      share, {.in = share.shape.hidden, .out = out, .tokens = share.outer_tokens, .bias = false});
  const double norm = 2 * as_double(indexer.head_dim);
  operation.parameters += norm;
  operation.device_parameters += norm;
  operation.saved = share.outer_bytes(out);
  return operation;
}

Operations indexer(const Share& share, const Indexer& indexer) {
  const int64_t width = indexer.heads * indexer.head_dim;
  Operation queries = linear(
      share, {.in = required(share.shape.attention.latent, "an indexer has latent queries").query,
              .out = width,
              .tokens = share.tokens,
              .bias = false});
  queries.saved = share.bytes(width);
  return {queries, scored(share, indexer, share.options.sequence)};
}

}  // namespace pipewright::transformer
