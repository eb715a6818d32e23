// Blocks from operations, layers from blocks.
//
// A block is  x + attention(norm(x)), then  x + mlp(norm(x));  a parallel block is
// x + attention(y) + mlp(y) with y = norm(x), and one region for both. Post-norm (BERT) has the
// same kernels in another order. Kept per block, without recomputation, in 16 bits, classic GPT:
//   s b h (10 + 24 / t + 5 a s / (h t)),  with sequence parallelism  s b h / t (34 + 5 a s / h)
// (arXiv 2205.05198, a heads; flash attention keeps 4 a s b / t bytes in place of 5 a s^2 b / t).
#include "workload/transformer/transformer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/transformer/shards.hpp"
#include "workload/transformer/share.hpp"
#include "workload/transformer/signed_layers.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright {
namespace {

using namespace transformer;

Operations serial_block(const Share& share, int64_t block) {
  const int64_t hidden = share.shape.hidden;
  Operations operations{norm(share, true)};
  append(operations, attention(share, block));
  append(operations, {leave_region(share, Part::other), residual(share, true), norm(share, true)});
  if (share.shape.has_experts(block)) {
    append(operations, experts(share));
  } else {
    operations.push_back(enter_region(share, Part::mlp, hidden));
    append(operations, mlp(share, share.shape.ffn));
    operations.push_back(leave_region(share, Part::mlp));
  }
  operations.push_back(residual(share, false));
  return operations;
}

/// The attention's region, which the MLP shares; experts have regions of their own.
Operations parallel_block(const Share& share, int64_t block) {
  Operations operations{norm(share, true)};
  append(operations, attention(share, block));
  const bool routed = share.shape.has_experts(block);
  if (!routed) append(operations, mlp(share, share.shape.ffn));
  operations.push_back(leave_region(share, Part::other));
  if (routed) append(operations, experts(share));
  operations.push_back(residual(share, false));
  return operations;
}

/// Blocks of `block`'s stage that come before it.
int64_t place_in_stage(int64_t block, const std::vector<int64_t>& stage_starts) {
  const auto next = std::upper_bound(stage_starts.begin(), stage_starts.end(), block);
  return next == stage_starts.begin() ? block : block - *std::prev(next);
}

/// Returns what block number `block` of all runs again.
Recompute recompute_of(const WorkloadOptions& options, int64_t block) {
  const Recompute& recompute = options.recompute;
  const bool runs_again =
      recompute.blocks < 0 || place_in_stage(block, options.stage_starts) < recompute.blocks;
  return runs_again ? recompute : Recompute{};
}

Layer make_block(const Share& share, int64_t block) {
  const double stream = share.outer_bytes(share.shape.hidden);
  const Recompute recompute = recompute_of(share.options, block);
  return assemble({.name = fmt::format("block {}", block),
                   .kind = LayerKind::block,
                   .input = stream,
                   .output = stream,
                   .around = stream},
                  with_shards(share,
                              share.shape.parallel_block ? parallel_block(share, block)
                                                         : serial_block(share, block),
                              recompute),
                  recompute);
}

/// Blocks that see their sequence both ways, then those of the decoder, whose tokens reach the
/// head.
std::vector<Layer> encoder_decoder(const TransformerShape& shape, const WorkloadOptions& options,
                                   const config::Value& where) {
  if (options.context > 1 || !options.tensor_grid.is_line())
    where.misfit("an encoder with a decoder is cut in neither context nor a grid of tensor ranks");
  TransformerShape bidirectional = shape;
  bidirectional.encoder = true;
  WorkloadOptions of_decoder = options;
  if (shape.decoder_sequence > 0) of_decoder.sequence = shape.decoder_sequence;
  const Share source = make_share(bidirectional, options, where);
  const Share share = make_share(shape, of_decoder, where);
  std::vector<Layer> layers{embedding(source, options.sequence)};
  for (int64_t block = 0; block < shape.layers; ++block)
    layers.push_back(make_block(source, block));
  for (int64_t block = 0; block < shape.decoder; ++block)
    layers.push_back(
        decoder_block(share, source, block, recompute_of(options, shape.layers + block)));
  layers.push_back(head(share));
  return layers;
}

}  // namespace

std::vector<Layer> transformer_layers(const TransformerShape& shape, const WorkloadOptions& given,
                                      int64_t positions, const config::Value& where) {
  const int64_t rows = positions > 0 ? positions : given.sequence;
  if (given.tensor_grid.kind == TensorKind::signatures)
    return signed_layers(shape, given, rows, where);
  const WorkloadOptions options = options_on_grid(shape, given, where);
  if (shape.decoder > 0) return encoder_decoder(shape, options, where);
  const Share share = make_share(shape, options, where);
  std::vector<Layer> layers{embedding(share, rows)};
  for (int64_t block = 0; block < shape.layers; ++block) layers.push_back(make_block(share, block));
  layers.push_back(head(share));
  return layers;
}

}  // namespace pipewright
