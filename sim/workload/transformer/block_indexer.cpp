// An indexer that chooses blocks of keys (MiniMax-M3; vLLM, models/minimax_m3).
//
// One product of the stream makes H queries of d numbers, another one key, each with a norm and
// gains. Every query is scored against all keys before it: 2 d H FLOPs a pair of s (s + 1) / 2; the
// best score of each block of b keys reaches memory, and a pass over a row chooses k / b blocks for
// each of the H heads, which serves as many heads of keys. Learning takes two products over the
// keys that are chosen, as with DeepSeek's indexer. Under tensor parallelism heads are cut as those
// of keys are, and copied where there are fewer; the key is made on every device. Left out: that
// blocks of the window around a query are chosen whatever their score.
#include "base/units.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

int64_t device_heads(const Share& share, const Indexer& indexer) {
  return std::max<int64_t>(indexer.heads / share.options.tensor, 1);
}

/// The queries of this device's heads.
Operation queries(const Share& share, const Indexer& indexer) {
  const int64_t hidden = share.shape.hidden, t = share.options.tensor;
  const int64_t made = device_heads(share, indexer) * t, width = made * indexer.head_dim;
  Operation operation = linear(
      share,
      {.in = hidden, .out = width, .split = Split::column, .tokens = share.tokens, .bias = false});
  const double copied = as_double((made - indexer.heads) * indexer.head_dim) * as_double(hidden);
  operation.parameters += as_double(indexer.head_dim) - copied;
  operation.device_parameters += as_double(indexer.head_dim);
  operation.model_flops -= 2 * share.all_tokens * copied;
  operation.saved = share.bytes(width / t);
  return operation;
}

Operation key(const Share& share, const Indexer& indexer) {
  Operation operation = linear(
      share,
      {.in = share.shape.hidden, .out = indexer.head_dim, .tokens = share.tokens, .bias = false});
  operation.parameters += as_double(indexer.head_dim);
  operation.device_parameters += as_double(indexer.head_dim);
  operation.saved = share.bytes(indexer.head_dim);
  return operation;
}

Operation chosen(const Share& share, const Indexer& indexer) {
  const double s = as_double(share.options.sequence), k = std::min(as_double(indexer.keys), s);
  const double heads = as_double(device_heads(share, indexer)), b = as_double(indexer.block);
  const double each =
      2 * as_double(share.options.micro_batch) * heads * as_double(indexer.head_dim);
  const double read = share.bytes(indexer.head_dim) * (heads + 1);
  const double scores = 4 * as_double(share.tokens) * heads * s / b;
  const double choice = scores * k / s;
  Work forward = stream(share, Kernel::attention, Direction::forward, read, scores);
  forward.flops = each * s * (s + 1) / 2;
  forward.shape = {share.options.micro_batch, device_heads(share, indexer), share.options.sequence,
                   indexer.head_dim};
  Work backward = stream(share, Kernel::attention, Direction::input_gradient, read + choice, read);
  backward.flops = 2 * each * (k * (k + 1) / 2 + (s - k) * k);
  backward.shape = forward.shape;
  Operation operation{.part = Part::attention};
  operation.forward = {forward,
                       stream(share, Kernel::elementwise, Direction::forward, scores, choice)};
  operation.input_gradient = {backward};
  operation.saved = choice;
  operation.model_flops =
      2 * share.all_tokens * s * as_double(indexer.heads) * as_double(indexer.head_dim);
  return operation;
}

}  // namespace

Operations block_indexer(const Share& share, const Indexer& indexer) {
  return {queries(share, indexer), key(share, indexer), chosen(share, indexer)};
}

}  // namespace pipewright::transformer
