#include "workload/transformer/vision_shape.hpp"

#include <fmt/format.h>

#include "workload/transformer/shape_limits.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright {
namespace {

/// The blocks as a transformer that sees its sequence both ways and has no words.
config::Value as_encoder(const config::Value& value) {
  config::Value blocks;
  blocks.mark = value.mark;
  for (const config::Entry& entry : value.entries)
    if (entry.key != "patches" && entry.key != "projector") blocks.set(entry.key, entry.value);
  blocks.set("encoder", config::scalar("true", value.mark));
  blocks.set("vocabulary", config::number(1, value.mark));
  return blocks;
}

Patches read_patches(const config::Value& value) {
  const config::Fields fields(
      value, "patches",
      {"side", "channels", "frames", "bias", "positions", "class_token", "norm", "image"});
  fields.at("side");
  Patches patches;
  patches.side = fields.integer("side", 0, 1, most_width);
  patches.channels = fields.integer("channels", patches.channels, 1, most_width);
  patches.frames = fields.integer("frames", patches.frames, 1, most_width);
  patches.bias = fields.boolean("bias", false);
  patches.positions = fields.integer("positions", 0, 0, most_tokens);
  patches.class_token = fields.boolean("class_token", false);
  patches.norm = fields.boolean("norm", false);
  patches.image = fields.integer("image", 0, 1, most_width);
  return patches;
}

std::vector<int64_t> read_widths(const config::Value& value) {
  if (!value.is_list()) value.fail("must be a list of widths, such as [5120]");
  std::vector<int64_t> widths;
  for (const config::Value& item : value.items)
    widths.push_back(config::as_int(item, 1, most_width));
  return widths;
}

Projector read_projector(const config::Value& value) {
  const config::Fields fields(
      value, "projector",
      {"last_norm", "merge", "pools", "norm", "norms_merged", "widths", "bias", "mlp", "deep"});
  Projector projector;
  projector.last_norm = fields.boolean("last_norm", false);
  projector.merge = fields.integer("merge", 1, 1, most_width);
  projector.pools = fields.boolean("pools", false);
  if (const config::Value* norm = fields.find("norm"))
    projector.norm = static_cast<Norm>(config::as_choice(*norm, {"layernorm", "rmsnorm"}));
  projector.norms_merged = fields.boolean("norms_merged", false);
  if (const config::Value* widths = fields.find("widths")) projector.widths = read_widths(*widths);
  projector.bias = fields.boolean("bias", false);
  projector.mlp = static_cast<int32_t>(fields.integer("mlp", 0, 0, most_width));
  projector.deep = fields.integer("deep", 0, 0, most_layers);
  return projector;
}

}  // namespace

int64_t VisionTower::patches_of(int64_t size) const {
  const int64_t square = patches.side * projector.merge;
  const int64_t squares = (size + square - 1) / square * projector.merge;
  return squares * squares;
}

int64_t VisionTower::tokens(int64_t size) const {
  return patches_of(size) / (projector.merge * projector.merge);
}

int64_t VisionTower::merged_width() const {
  return projector.pools ? blocks->hidden : blocks->hidden * projector.merge * projector.merge;
}

VisionTower read_vision(const config::Value& value) {
  const config::Fields fields(value, "vision",
                              {"layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "gated",
                               "norm", "norms", "bias", "dropout", "positions", "attention",
                               "mixers", "window", "window_every", "patches", "projector"});
  VisionTower tower;
  tower.patches = read_patches(fields.at("patches"));
  if (const config::Value* projector = fields.find("projector"))
    tower.projector = read_projector(*projector);
  tower.blocks = std::make_shared<const TransformerShape>(read_transformer(as_encoder(value)));
  const int64_t side = tower.patches.side, image = tower.patches.image;
  if (image > 0 && image < side)
    fields.at("patches").find("image")->fail(
        fmt::format("an image of {} pixels has no patch of {}", image, side));
  return tower;
}

}  // namespace pipewright
