// What configurations of vision towers say; the kinds are in vision_towers.cpp.
#include "workload/model/hugging_face/vision_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workload/model/hugging_face/family.hpp"
#include "workload/model/hugging_face/vision_tower.hpp"
#include "workload/transformer/vision_shape.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name block_names[] = {
    {"layers", {"num_hidden_layers", "depth", "vt_num_hidden_layers"}},
    {"hidden", {"embed_dim", "hidden_size", "vt_hidden_size"}},
    {"heads", {"num_attention_heads", "num_heads", "vt_num_attention_heads"}},
    {"kv_heads", {"num_key_value_heads"}},
    {"head_dim", {"head_dim"}},
    {"ffn", {"intermediate_size", "vt_intermediate_size"}},
};
constexpr Name patch_names[] = {
    {"side", {"patch_size"}},
    {"channels", {"num_channels", "in_channels", "in_chans"}},
    {"frames", {"temporal_patch_size"}},
};

int64_t hidden_of(const Value& tower) {
  const Value* hidden = tower.find("hidden");
  if (!hidden) tower.lacks("a vision tower needs the key 'hidden'");
  return config::as_int(*hidden, 1, 1 << 22);
}

/// The products of a projector before its last.
void set_widths(Value& tower, std::initializer_list<int64_t> widths) {
  Value list;
  list.kind = Value::Kind::list;
  list.mark = tower.mark;
  for (const int64_t width : widths) list.items.push_back(config::number(width, tower.mark));
  map_of(tower, "projector").set("widths", std::move(list));
}

/// Patches of a side of every image, which are all as wide. A learned table has a row for each,
/// and for `more`.
int64_t set_image(const TowerConfig& found, Value& tower, int64_t more) {
  Value& patches = map_of(tower, "patches");
  copy(found.vision, "image_size", patches, "image");
  const int64_t side = count_of(found.vision, "patch_size", 0);
  const int64_t row = side > 0 ? count_of(found.vision, "image_size", 0) / side : 0;
  set_number(patches, "positions", row * row + more);
  return row;
}

/// Squares of patches, as wide as all of them, go through two products.
void merge_squares(const TowerConfig& found, Value& tower) {
  const int64_t merge = count_of(found.vision, "spatial_merge_size", 2);
  set_number(map_of(tower, "projector"), "merge", merge);
  set_widths(tower, {hidden_of(tower) * merge * merge});
}

int64_t text_hidden(const TowerConfig& found) {
  return config::as_int(*found.text.find("hidden"), 1, 1 << 22);
}

const Tower* find_tower(const Value& given) {
  const Value* vision = find_given(given, "vision_config");
  const Value* model = find_given(given, "model_type");
  if (!vision || !vision->is_map() || !model) return nullptr;
  const Value* type = find_given(*vision, "model_type");
  const auto fits = [&](const Tower& tower) {
    const bool any = tower.type.empty() || !type;
    return tower.model == model->text && (any || tower.type == type->text);
  };
  const auto found = std::ranges::find_if(towers(), fits);
  return found == towers().end() ? nullptr : &*found;
}

Value made_tower(const Tower& kind, const Value& given, const TowerConfig& around) {
  Value tower =
      translate(around.vision, block_names, config::parse(kind.defaults, "built-in defaults"));
  Value& patches = *tower.find("patches");
  patches = translate(around.vision, patch_names, std::move(patches));
  tower.mark = given.mark;
  kind.extend(around, tower);
  return tower;
}

}  // namespace

/// MLPs as wide as the text; squares of patches go through one product, then through a gated MLP.
void set_glm4v(const TowerConfig& found, Value& tower) {
  copy(found.vision, "out_hidden_size", tower, "ffn");
  const int64_t side = count_of(found.vision, "patch_size", 14);
  const int64_t row = side > 0 ? count_of(found.vision, "image_size", 336) / side : 0;
  set_number(map_of(tower, "patches"), "positions", row * row);
  Value& projector = map_of(tower, "projector");
  set_number(projector, "merge", count_of(found.vision, "spatial_merge_size", 2));
  copy(found.vision, "intermediate_size", projector, "mlp");
}

/// As many patches as lead to `tokens` are averaged.
void set_gemma3(const TowerConfig& found, Value& tower) {
  const int64_t row = set_image(found, tower, 0);
  const auto tokens = static_cast<double>(count_of(found.whole, "mm_tokens_per_image", 256));
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(tokens)));
  set_number(map_of(tower, "projector"), "merge", side > 0 ? std::max<int64_t>(row / side, 1) : 1);
}

/// Patches have a row of a table for their column and one for their line.
void set_gemma4(const TowerConfig& found, Value& tower) {
  set_number(map_of(tower, "patches"), "positions",
             2 * count_of(found.vision, "position_embedding_size", 10240));
  set_number(map_of(tower, "projector"), "merge", count_of(found.vision, "pooling_kernel_size", 3));
}

void set_llama4(const TowerConfig& found, Value& tower) {
  set_image(found, tower, 1);
  const Value* ratio = find_given(found.vision, "pixel_shuffle_ratio");
  const double kept = ratio ? config::as_number(*ratio, 0.01, 1) : 0.5;
  set_number(map_of(tower, "projector"), "merge", std::lround(1 / kept));
  set_widths(tower, {count_of(found.vision, "projector_input_dim", 4096),
                     count_of(found.vision, "projector_output_dim", 4096)});
}

void set_qwen2_vl(const TowerConfig& found, Value& tower) {
  set_number(tower, "ffn", hidden_of(tower) * count_of(found.vision, "mlp_ratio", 4));
  merge_squares(found, tower);
}

/// Attention within windows in all blocks but those listed.
void set_qwen2_5_vl(const TowerConfig& found, Value& tower) {
  merge_squares(found, tower);
  const int64_t layers = count_of(found.vision, "depth", 32);
  const int64_t side = count_of(found.vision, "patch_size", 14);
  const int64_t row = side > 0 ? count_of(found.vision, "window_size", 112) / side : 0;
  const Value* all = find_given(found.vision, "fullatt_block_indexes");
  std::vector<std::string_view> mixers(static_cast<size_t>(layers), "chunked");
  if (all && all->is_list()) {
    const std::vector<bool> listed = listed_blocks(*all, layers);
    for (size_t block = 0; block < listed.size(); ++block)
      if (listed[block]) mixers[block] = "full";
  }
  tower.set("mixers", list_of(mixers));
  set_number(tower, "window", row * row);
}

void set_qwen3_vl(const TowerConfig& found, Value& tower) {
  merge_squares(found, tower);
  copy(found.vision, "num_position_embeddings", map_of(tower, "patches"), "positions");
  const Value* deep = find_given(found.vision, "deepstack_visual_indexes");
  if (deep && deep->is_list())
    set_number(map_of(tower, "projector"), "deep", static_cast<int64_t>(deep->items.size()));
}

void set_mistral3(const TowerConfig& found, Value& tower) {
  Value& projector = map_of(tower, "projector");
  set_number(projector, "merge", count_of(found.whole, "spatial_merge_size", 2));
  if (says(found.whole, "multimodal_projector_bias", true)) set(projector, "bias", "true");
  set_widths(tower, {hidden_of(tower), text_hidden(found)});
}

void set_llava(const TowerConfig& found, Value& tower) {
  Value& projector = map_of(tower, "projector");
  if (says(found.whole, "multimodal_projector_bias", false)) set(projector, "bias", "false");
  set_widths(tower, {text_hidden(found)});
}

void set_clip(const TowerConfig& found, Value& tower) {
  set_image(found, tower, 1);
  set_llava(found, tower);
}

/// One product with a bias.
void set_paligemma(const TowerConfig& found, Value& tower) {
  set_image(found, tower, 0);
  set(map_of(tower, "projector"), "bias", "true");
}

/// Squares of patches, as wide as all of them, go through one product.
void set_idefics3(const TowerConfig& found, Value& tower) {
  set_image(found, tower, 0);
  set_number(map_of(tower, "projector"), "merge", count_of(found.whole, "scale_factor", 2));
}

void set_internvl(const TowerConfig& found, Value& tower) {
  set_image(found, tower, 1);
  const Value* ratio = find_given(found.whole, "downsample_ratio");
  const double kept = ratio ? config::as_number(*ratio, 0.01, 1) : 0.5;
  set_number(map_of(tower, "projector"), "merge", std::lround(1 / kept));
  set_widths(tower, {text_hidden(found)});
  const Value* norm = find_given(found.vision, "norm_type");
  if (norm && norm->text == "rms_norm") set(tower, "norm", "rmsnorm");
  if (says(found.vision, "qkv_bias", false)) set(map_of(tower, "attention"), "bias", "none");
  if (says(found.vision, "qk_normalization", true))
    set(map_of(tower, "attention"), "norm", "width");
}

/// MoonViT: a table of 64 by 64 positions, squares of patches through two products.
void set_kimi(const TowerConfig& found, Value& tower) {
  const int64_t rows = count_of(found.vision, "init_pos_emb_height", 64) *
                       count_of(found.vision, "init_pos_emb_width", 64);
  set_number(map_of(tower, "patches"), "positions", rows);
  const int64_t merge = count_of(found.vision, "merge_kernel_size", 2);
  set_number(map_of(tower, "projector"), "merge", merge);
  set_widths(tower, {hidden_of(tower) * merge * merge});
}

void add_vision(const Value& whole, const Value& value, Value& transformer) {
  const Value* thinker = find_given(whole, "thinker_config");
  const Value& given = thinker && thinker->is_map() ? *thinker : whole;
  const Tower* kind = find_tower(given);
  if (!kind) return;
  Value vision = with_whole_numbers(*find_given(given, "vision_config"));
  for (const config::Entry& entry : config::parse(kind->otherwise, "built-in defaults").entries)
    if (!find_given(vision, entry.key)) vision.set(entry.key, entry.value);
  try {
    Value tower = made_tower(*kind, given, {vision, value, transformer});
    read_vision(tower);
    transformer.set("vision", std::move(tower));
  } catch (const InputError&) {
    // What lacks something is left out like a tower that is not known: the text may be read.
  }
}

}  // namespace pipewright::hugging_face
