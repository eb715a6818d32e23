// Blocks from operations, layers from blocks.
//
// A block is  x + attention(norm(x)), then  x + mlp(norm(x));  a parallel block is
// x + attention(y) + mlp(y) with y = norm(x), and one region for both. Post-norm (BERT) has the
// same kernels in another order; OLMo 2 norms the branches, x + norm(f(x)), Gemma both. In place of
// attention stands what `mixers` say, in place of the MLP what `feeds` say, or nothing. Kept per
// block, without recomputation, in 16 bits, classic GPT:
//   s b h (10 + 24 / t + 5 a s / (h t)),  with sequence parallelism  s b h / t (34 + 5 a s / h)
// (arXiv 2205.05198, a heads; flash attention keeps 4 a s b / t bytes in place of 5 a s^2 b / t).
#include "workload/transformer/transformer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "workload/transformer/adapters.hpp"
#include "workload/transformer/graphs.hpp"
#include "workload/transformer/layouts.hpp"
#include "workload/transformer/shards.hpp"
#include "workload/transformer/share.hpp"
#include "workload/transformer/signed_layers.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright {
namespace {

using namespace transformer;

/// Returns what mixes the tokens of a block. It enters its region and leaves it open.
Operations mixer(const Share& share, int64_t block) {
  switch (share.shape.mixer(block)) {
    case Mixer::lightning:
      return lightning(share);
    case Mixer::gated_delta:
      return gated_delta(share);
    case Mixer::state_space:
      return state_space(share);
    case Mixer::selective_scan:
      return selective_scan(share);
    case Mixer::short_convolution:
      return short_convolution(share);
    case Mixer::gated_recurrence:
      return gated_recurrence(share);
    case Mixer::time_mixing:
      return time_mixing(share, share.shape.makes_values(block));
    case Mixer::full_and_state_space:
      return attention_beside_state_space(share, block);
    default:
      return attention(share, block);
  }
}

/// Returns what works on every token by itself, with the edges of its regions.
Operations feed(const Share& share, int64_t block) {
  if (share.shape.feed(block) == Feed::experts) return experts(share);
  Operations operations{enter_region(share, Part::mlp, share.shape.hidden)};
  if (share.shape.mixer(block) == Mixer::time_mixing) operations.push_back(token_shift(share, 1));
  append(operations, mlp(share, share.shape.ffn_of(block)));
  operations.push_back(leave_region(share, Part::mlp));
  return operations;
}

/// A branch of the residual stream with its norms, and the sum at its end. `last`: of its block.
/// `attended`: what makes its input of earlier results.
Operations branch(const Share& share, Operations inside, bool last, Operations attended = {}) {
  const BlockForm form = share.shape.form;
  const bool has_streams = share.shape.streams > 1 && !share.shape.alternating;
  const bool joins = !has_streams && attended.empty();
  Operations operations = has_streams ? summed_streams(share, false) : std::move(attended);
  operations.push_back(form == BlockForm::after ? joined(share) : norm(share, joins));
  append(operations, std::move(inside));
  if (form == BlockForm::after || form == BlockForm::both)
    operations.push_back(norm_of_branch(share));
  operations.push_back(has_streams ? spread_over_streams(share, !last) : residual(share, !last));
  // The sum before a feed-forward is what its norm reads.
  if (!last && offloads(share, OffloadedInput::feed_norm))
    operations.back().leaves = share.outer_bytes(share.shape.hidden);
  return operations;
}

/// The norm before a mixer makes what its first product reads.
void offload_projected(const Share& share, Operations& mixed) {
  Operation& first = mixed.front();
  if (first.part == Part::norm && offloads(share, OffloadedInput::projections))
    first.leaves = first.saved;
}

/// The branch of what works on every token by itself.
Operations fed_branch(const Share& share, int64_t block) {
  const bool ends = share.shape.inputs.width == 0;
  const BlockForm form = share.shape.form;
  const size_t behind = form == BlockForm::after || form == BlockForm::both ? 2 : 1;
  Operations inside = feed(share, block);
  const size_t fed = inside.size();
  Operations whole = branch(share, std::move(inside), ends,
                            attended_residuals(share, share.shape.groups_before(block + 1) + 1));
  const size_t before = whole.size() - fed - behind;
  return captured_feed(share, block, std::move(whole), before, behind);
}

Operations serial_block(const Share& share, int64_t block) {
  Operations operations = predicted_streams(share);
  const bool feeds = share.shape.feed(block) != Feed::none;
  if (share.shape.mixer(block) != Mixer::none) {
    Operations mixed = mixer(share, block);
    mixed.push_back(leave_region(share, Part::other));
    append(operations,
           captured_mixer(share, block,
                          branch(share, std::move(mixed), !feeds,
                                 attended_residuals(share, share.shape.groups_before(block) + 1))));
    append(operations, laurel(share));
    offload_projected(share, operations);
  }
  if (feeds) append(operations, fed_branch(share, block));
  append(operations, corrected_streams(share));
  append(operations, with_block_input(share));
  return operations;
}

/// The attention's region, which the MLP shares; experts have regions of their own.
Operations parallel_block(const Share& share, int64_t block) {
  Operations operations{norm(share, true)};
  append(operations, mixer(share, block));
  operations = captured_mixer(share, block, std::move(operations));
  const Feed feed = share.shape.feed(block);
  if (feed == Feed::dense)
    append(operations, captured(share, GraphedModule::mlp, mlp(share, share.shape.ffn)));
  operations.push_back(leave_region(share, Part::other));
  if (feed == Feed::experts) append(operations, experts(share));
  operations.push_back(residual(share, false));
  return operations;
}

/// Blocks of `block`'s stage that come before it.
int64_t place_in_stage(int64_t block, const std::vector<int64_t>& stage_starts) {
  const auto next = std::upper_bound(stage_starts.begin(), stage_starts.end(), block);
  return next == stage_starts.begin() ? block : block - *std::prev(next);
}

/// Tells whether block number `block` of all runs again what the model does.
bool runs_again(const WorkloadOptions& options, int64_t block) {
  const Recompute& recompute = options.recompute;
  return recompute.blocks < 0 || place_in_stage(block, recompute.stage_starts) < recompute.blocks;
}

Recompute recompute_of(const WorkloadOptions& options, int64_t block) {
  return runs_again(options, block) ? options.recompute : Recompute{};
}

Operations block_operations(const Share& share, int64_t block) {
  return share.shape.form == BlockForm::parallel ? parallel_block(share, block)
                                                 : serial_block(share, block);
}

/// Adds what stands behind the blocks. Modules that predict further tokens have a block as the last
/// one.
void append_end(const Share& share, std::vector<Layer>& layers) {
  for (int64_t module = 1; module <= share.shape.ends.predicted; ++module)
    layers.push_back(prediction(share, module, block_operations(share, share.shape.layers - 1)));
  layers.push_back(head(share));
}

std::vector<Layer> blocks_of(const Share& share);

/// The layers before the embedding: a vision tower where samples have images.
std::vector<Layer> layers_in_front(const Share& share, const config::Value& where) {
  if (share.options.images.count == 0) return {};
  return vision_layers(share, where, blocks_of);
}

/// Refuses what would leave nothing to train, and weights that are trained in formats for others.
void check_training(const TransformerShape& shape, const WorkloadOptions& options,
                    const config::Value& where) {
  const FrozenParts& frozen = options.frozen;
  const bool has_tower = shape.vision.has_value() && options.images.count > 0;
  if (frozen.vision && !shape.vision)
    where.misfit("frozen: vision needs a model with a vision tower ('vision')");
  if (frozen.text && !has_tower && options.adapter_rank == 0)
    where.misfit("frozen: text leaves nothing to train without images (batch.images)");
  const bool needs_frozen =
      options.stored == StoredWeights::int8 || options.stored == StoredWeights::nf4;
  if (needs_frozen && options.adapter_rank == 0 && !frozen.text)
    where.misfit(
        "weights: int8 and nf4 are for weights that are not trained, beside 'adapters' or under "
        "'frozen: text'");
}

std::string name_of(int64_t block) { return fmt::format("block {}", block); }

/// Counts no weights of a block that runs by those of the block before it. Both add up their
/// gradients in one place.
void share_weights(Layer& layer) {
  layer.tied.to_former = true;
  layer.parameters = layer.device_parameters = layer.device_expert_parameters = 0;
  layer.summed.clear();
  layer.narrow_parameters = layer.trained_experts = 0;
  if (layer.trained) layer.trained = 0;
}

Layer make_block(const Share& share, int64_t block) {
  const double stream = stream_bytes(share);
  const bool begins = place_in_stage(block, share.options.recompute.stage_starts) == 0;
  const double received = begins ? received_residuals(share, block) : 0;
  const Recompute recompute = recompute_of(share.options, block);
  const bool leaves =
      share.shape.mixer(block) != Mixer::none && offloads(share, OffloadedInput::attention_norm);
  Layer layer =
      assemble({.name = name_of(block),
                .kind = LayerKind::block,
                .input = stream + received,
                .leaves = leaves ? stream : 0,
                .output = stream + received_residuals(share, block + 1),
                .around = stream},
               with_shards(share.promoted(), block_operations(share, block), recompute), recompute);
  stack_kept(share, layer);
  if (share.shape.shares_weights(block)) share_weights(layer);
  if (share.frozen == Frozen::all) leave_out_backward(layer);
  return layer;
}

/// The blocks of a model. All that makes two of them differ is their kind: one of each is built.
class BlocksByKind {
 public:
  explicit BlocksByKind(const Share& share) : share_(share) {}

  Layer operator()(int64_t block) {
    const TransformerShape& shape = share_.shape;
    const Kind kind{shape.mixer(block),
                    shape.feed(block),
                    runs_again(share_.options, block),
                    shape.shares_weights(block),
                    shape.chooses_keys(block),
                    shape.borrows(block),
                    residuals_of(block),
                    shape.reach(block, share_.options.sequence),
                    shape.ffn_of(block),
                    shape.makes_values(block)};
    const auto [found, is_new] = built_.try_emplace(kind);
    if (is_new) found->second = make_block(share_, block);
    Layer layer = found->second;
    layer.name = name_of(block);
    return layer;
  }

 private:
  /// Beside them runs_again(), shares_weights(), chooses_keys(), borrows(), residuals_of(),
  /// reach(), ffn_of() and makes_values().
  using Kind = std::tuple<Mixer, Feed, bool, bool, bool, bool, int64_t, int64_t, int64_t, bool>;

  /// Tells apart blocks by the earlier results that they read, keep and send.
  int64_t residuals_of(int64_t block) const {
    if (share_.shape.block_residuals == 0) return 0;
    const bool begins = place_in_stage(block, share_.options.recompute.stage_starts) == 0;
    return 2 * (share_.shape.groups_before(block) + share_.shape.groups_before(block + 1)) +
           (begins ? 1 : 0);
  }

  const Share& share_;
  std::map<Kind, Layer> built_;
};

std::vector<Layer> blocks_of(const Share& share) {
  std::vector<Layer> layers;
  BlocksByKind blocks(share);
  for (int64_t block = 0; block < share.shape.layers; ++block) layers.push_back(blocks(block));
  return layers;
}

/// Blocks that see their sequence both ways, then those of the decoder, whose tokens reach the
/// head.
std::vector<Layer> encoder_decoder(const TransformerShape& shape, const WorkloadOptions& options,
                                   int64_t positions, const config::Value& where) {
  if (options.context > 1 || !options.tensor_grid.is_line())
    where.misfit("an encoder with a decoder is cut in neither context nor a grid of tensor ranks");
  TransformerShape bidirectional = shape;
  bidirectional.encoder = true;
  WorkloadOptions of_decoder = options;
  if (shape.decoder.sequence > 0) of_decoder.sequence = shape.decoder.sequence;
  const Share source = make_share(bidirectional, options, where);
  const Share share = make_share(shape, of_decoder, where);
  std::vector<Layer> layers{shape.sound ? sound_layer(source, *shape.sound, positions)
                                        : embedding(source, options.sequence)};
  std::ranges::move(blocks_of(source), std::back_inserter(layers));
  for (int64_t block = 0; block < shape.decoder.layers; ++block)
    layers.push_back(
        decoder_block(share, source, block, recompute_of(options, shape.layers + block)));
  append_end(share, layers);
  return layers;
}

}  // namespace

std::vector<Layer> transformer_layers(const TransformerShape& shape, const WorkloadOptions& given,
                                      int64_t positions, const config::Value& where) {
  const int64_t rows = positions > 0 ? positions : given.sequence;
  check_training(shape, given, where);
  if (given.adapter_rank > 0 && !given.tensor_grid.is_line())
    where.misfit("adapters need tensor ranks in a line, without parallel.tensor_kind or sbp");
  if (shape.attention.compression && given.kernels.attention == AttentionKernel::unfused)
    where.misfit("compressed keys need flash attention: no framework writes their scores");
  if ((shape.streams > 1 || shape.inputs.width > 0) && !given.tensor_grid.is_line())
    where.misfit("residual streams and embeddings for every block need tensor ranks in a line");
  if (given.images.count > 0 && !given.tensor_grid.is_line())
    where.misfit("batch.images needs tensor ranks in a line, without parallel.tensor_kind or sbp");
  if (given.tensor_grid.kind == TensorKind::signatures)
    return signed_layers(shape, given, rows, where);
  const WorkloadOptions options = options_on_grid(shape, given, where);
  if (shape.decoder.layers > 0) return encoder_decoder(shape, options, rows, where);
  const Share share = make_share(shape, options, where);
  std::vector<Layer> layers = layers_in_front(share, where);
  layers.push_back(embedding(share, rows));
  std::ranges::move(blocks_of(share), std::back_inserter(layers));
  append_end(share, layers);
  return layers;
}

}  // namespace pipewright
