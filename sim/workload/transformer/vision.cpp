// Vision towers: an encoder of images in front of a model of text (ViT, arXiv 2010.11929; SigLIP,
// 2303.15343; Qwen2.5-VL, 2502.13923), whose result stands among the embeddings of the words.
//
// A sequence has k images of q patches, each c f p^2 numbers, so with b sequences on a device:
//   patches    one product c f p^2 -> h' over b k q rows, which makes no gradient of its input;
//              a learned table of positions, a norm, where the tower has them
//   blocks     those of an encoder over b k sequences of q patches (and a class token)
//   projector  the tower's last norm; squares of m^2 patches side by side, or their mean; products
//              to the text's width with an activation in between, over b k q / m^2 rows; as many
//              projectors more as there are deep ones (DeepStack, arXiv 2406.04334), whose rows
//              are added to the first blocks of the text; rows go to their places in the sequence
// The tower stands on the first stage with the embedding, each replica runs its own images, and all
// context ranks those of their sequence. Tensor ranks cut the blocks, without sequence parallelism
// (Megatron-LM, pretrain_vlm.py: it turns both off in the tower), and run patches and projector
// whole. Patches and projector stay out of fp8. Where every block of the text is run again, the
// tower's are. A frozen tower (Megatron-LM's --freeze-ViT) has a forward pass only and keeps
// nothing; its last norm, which stands with the projector, counts as trained. Left out: the cut of
// a projector over tensor ranks; the interpolation of positions; that the last block's rows of
// class tokens end there; the results of inner blocks that deep projectors keep.
#include <fmt/format.h>

#include "base/required.hpp"
#include "base/units.hpp"
#include "workload/transformer/adapters.hpp"
#include "workload/transformer/core.hpp"
#include "workload/transformer/shards.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

/// The options of a tower that takes `images` a sequence, each of `tokens`.
WorkloadOptions tower_options(const WorkloadOptions& options, int64_t tokens) {
  WorkloadOptions tower = options;
  tower.micro_batch *= options.images.count;
  tower.sequence = tokens;
  tower.sequence_parallel = false;
  tower.context = tower.context_split.heads = 1;
  tower.expert = tower.expert_tensor = 1;
  if (options.recompute.blocks >= 0) tower.recompute = {};
  tower.graphs = {};
  return tower;
}

void check_tensor(const VisionTower& tower, const WorkloadOptions& options,
                  const config::Value& where) {
  const TransformerShape& blocks = *tower.blocks;
  for (const auto& [name, number] :
       {std::pair{"heads", blocks.attention.heads}, std::pair{"ffn", blocks.ffn}})
    if (number % options.tensor != 0)
      where.misfit(fmt::format("tensor {} must divide vision.{} {}", options.tensor, name, number));
}

/// The share of rows of which there are `rows` on a device.
Share with_rows(const Share& share, int64_t rows) {
  Share some = share.wide();
  some.tokens = some.outer_tokens = rows;
  some.all_tokens = as_double(rows);
  return some;
}

Operation added_positions(const Share& share, const Patches& patches) {
  Operation operation;
  if (patches.positions == 0) return operation;
  const double bytes = share.outer_bytes(share.shape.hidden);
  operation.parameters = operation.device_parameters =
      as_double(patches.positions) * as_double(share.shape.hidden);
  operation.forward = {stream(share, Kernel::elementwise, Direction::forward, 2 * bytes, bytes)};
  operation.weight_gradient = {
      stream(share, Kernel::elementwise, Direction::weight_gradient, 2 * bytes, bytes)};
  return operation;
}

/// The class token's own embedding.
Operation class_token(const Share& share, const Patches& patches) {
  Operation operation;
  if (patches.class_token)
    operation.parameters = operation.device_parameters = as_double(share.shape.hidden);
  return operation;
}

Layer patch_layer(const Share& share, const VisionTower& tower, int64_t rows) {
  const int64_t hidden = share.shape.hidden;
  const Share some = with_rows(share, rows);
  Operation product = linear(
      some,
      {.in = tower.patches.numbers(), .out = hidden, .tokens = rows, .bias = tower.patches.bias});
  product.input_gradient.clear();
  product.saved = some.bytes(tower.patches.numbers());
  Operations operations{product, class_token(share, tower.patches),
                        added_positions(share, tower.patches)};
  if (tower.patches.norm) operations.push_back(norm(share, false));
  Layer layer =
      assemble({.name = "patches", .kind = LayerKind::tower, .output = share.outer_bytes(hidden)},
               with_shards(share, std::move(operations), {}), {});
  if (share.frozen == Frozen::all) leave_out_backward(layer);
  return layer;
}

/// The norm before the products, over `width` numbers of each row.
Operation projector_norm(const Share& rows, Norm norm, int64_t width) {
  Operation operation = norm_of(rows, width);
  operation.parameters = operation.device_parameters =
      (norm == Norm::layernorm ? 2 : 1) * as_double(width);
  return operation;
}

/// Puts patches side by side, or takes their mean.
Operation merged(const Share& patches, const Share& rows, const VisionTower& tower) {
  Operation operation;
  const double in = patches.bytes(patches.shape.hidden), out = rows.bytes(tower.merged_width());
  if (tower.projector.merge == 1) return operation;
  operation.forward = {stream(rows, Kernel::elementwise, Direction::forward, in, out)};
  operation.input_gradient = {
      stream(rows, Kernel::elementwise, Direction::input_gradient, out, in)};
  operation.saved = tower.projector.norm && !tower.projector.norms_merged ? 0 : out;
  return operation;
}

/// The activation between two products, which keeps its input and its output.
Operation between_products(const Share& rows, int64_t width) {
  const double bytes = rows.bytes(width);
  Operation operation;
  operation.forward = {stream(rows, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(rows, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = 2 * bytes;
  return operation;
}

Operations products(const Share& rows, const VisionTower& tower, int64_t out) {
  Operations operations;
  int64_t in = tower.merged_width();
  std::vector<int64_t> widths = tower.projector.widths;
  widths.push_back(out);
  for (const int64_t width : widths) {
    if (!operations.empty()) operations.push_back(between_products(rows, in));
    operations.push_back(linear(
        rows, {.in = in, .out = width, .tokens = rows.tokens, .bias = tower.projector.bias}));
    in = width;
  }
  return operations;
}

/// A product, a norm and a gated MLP, all as wide outside as the text.
Operations gated_products(const Share& rows, int64_t mlp, int64_t out) {
  const auto product = [&](int64_t from, int64_t to) {
    return linear(rows, {.in = from, .out = to, .tokens = rows.tokens, .bias = false});
  };
  Operations operations{product(out, out), projector_norm(rows, Norm::layernorm, out),
                        product(out, 2 * mlp), between_products(rows, mlp), product(mlp, out)};
  return operations;
}

/// Norm, merge and products, from patches to rows of the text.
Operations projected(const Share& patches, const Share& rows, const VisionTower& tower, int64_t out,
                     bool norms_merged) {
  Operations operations;
  const auto& norm = tower.projector.norm;
  if (norm && !norms_merged)
    operations.push_back(projector_norm(patches, *norm, patches.shape.hidden));
  operations.push_back(merged(patches, rows, tower));
  if (norm && norms_merged) operations.push_back(projector_norm(rows, *norm, tower.merged_width()));
  append(operations, products(rows, tower, out));
  if (tower.projector.mlp > 0) append(operations, gated_products(rows, tower.projector.mlp, out));
  return operations;
}

/// Rows that go to their places in the sequence, and deep ones that are added there.
Operation placed(const Share& rows, int64_t width, int64_t deep) {
  const double bytes = rows.bytes(width);
  Operation operation;
  operation.forward = {stream(rows, Kernel::memcpy, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(rows, Kernel::memcpy, Direction::input_gradient, bytes, bytes)};
  for (int64_t k = 0; k < deep; ++k)
    operation.forward.push_back(
        stream(rows, Kernel::elementwise, Direction::forward, 2 * bytes, bytes));
  return operation;
}

/// Leaves out the gradients of what comes before the first product, whose input nobody trains.
void stop_gradients(Operations& operations) {
  for (Operation& operation : operations) {
    operation.input_gradient.clear();
    if (!operation.weight_gradient.empty()) return;
  }
}

Layer projector_layer(const Share& tower_share, const VisionTower& tower, int64_t patches,
                      int64_t out) {
  Share share = tower_share;
  share.frozen = Frozen::nothing;
  const int64_t merge = tower.projector.merge, rows = patches / (merge * merge);
  const Share of_patches = with_rows(share, patches), of_rows = with_rows(share, rows);
  Operations operations;
  if (tower.projector.last_norm) operations.push_back(norm(share, false));
  for (int64_t k = 0; k < tower.projector.deep; ++k)
    append(operations, projected(of_patches, of_rows, tower, out, true));
  append(operations, projected(of_patches, of_rows, tower, out, tower.projector.norms_merged));
  operations.push_back(placed(of_rows, out, tower.projector.deep));
  if (tower_share.frozen == Frozen::all) stop_gradients(operations);
  return assemble({.name = "projector",
                   .kind = LayerKind::tower,
                   .input = share.outer_bytes(share.shape.hidden),
                   .output = of_rows.bytes(out)},
                  with_shards(share, std::move(operations), {}), {});
}

}  // namespace

std::vector<Layer> vision_layers(const Share& text, const config::Value& where,
                                 std::vector<Layer> (*blocks)(const Share& tower)) {
  const VisionTower& tower = required(text.shape.vision, "a vision tower");
  check_tensor(tower, text.options, where);
  const int64_t own = tower.patches.image, size = own > 0 ? own : text.options.images.size;
  const int64_t patches = tower.patches_of(size), more = tower.patches.class_token ? 1 : 0;
  const WorkloadOptions options = tower_options(text.options, patches + more);
  Share share = make_share(*tower.blocks, options, where);
  share.frozen = text.options.frozen.vision ? Frozen::all : Frozen::nothing;
  const int64_t rows = options.micro_batch * patches;
  std::vector<Layer> layers{patch_layer(share, tower, rows)};
  for (Layer& layer : blocks(share)) {
    layer.name = "vision " + layer.name;
    layer.kind = LayerKind::tower;
    layers.push_back(std::move(layer));
  }
  layers.push_back(projector_layer(share, tower, rows, text.shape.hidden));
  return layers;
}

}  // namespace pipewright::transformer
