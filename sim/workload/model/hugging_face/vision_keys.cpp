// Vision towers, each as its library's configuration and modelling files have it
// (github.com/huggingface/transformers, src/transformers/models/TYPE/). What a class takes for keys
// that a file leaves out stands under `otherwise`.
#include "workload/model/hugging_face/vision_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "workload/model/hugging_face/family.hpp"
#include "workload/transformer/vision_shape.hpp"

namespace pipewright::hugging_face {
namespace {

/// A configuration's tower, and what is around it.
struct Found {
  const Value& vision;  ///< vision_config
  const Value& whole;   ///< where the projector's keys stand
  const Value& text;    ///< the transformer map so far
};

struct Tower {
  std::string_view model;  ///< model_type of the whole
  std::string_view type;   ///< of vision_config; empty: whatever it is
  const char* defaults;    ///< what all have, as a map `vision`
  const char* otherwise;
  void (*extend)(const Found& found, Value& tower);
};

constexpr Name block_names[] = {
    {"layers", {"num_hidden_layers", "depth"}},
    {"hidden", {"embed_dim", "hidden_size"}},
    {"heads", {"num_attention_heads", "num_heads"}},
    {"kv_heads", {"num_key_value_heads"}},
    {"head_dim", {"head_dim"}},
    {"ffn", {"intermediate_size"}},
};
constexpr Name patch_names[] = {
    {"side", {"patch_size"}},
    {"channels", {"num_channels", "in_channels", "in_chans"}},
    {"frames", {"temporal_patch_size"}},
};

int64_t hidden_of(const Value& tower) { return config::as_int(*tower.find("hidden"), 1, 1 << 22); }

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
int64_t set_image(const Found& found, Value& tower, int64_t more) {
  Value& patches = map_of(tower, "patches");
  copy(found.vision, "image_size", patches, "image");
  const int64_t side = count_of(found.vision, "patch_size", 0);
  const int64_t row = side > 0 ? count_of(found.vision, "image_size", 0) / side : 0;
  set_number(patches, "positions", row * row + more);
  return row;
}

/// As many patches as lead to `tokens` are averaged.
void set_gemma3(const Found& found, Value& tower) {
  const int64_t row = set_image(found, tower, 0);
  const auto tokens = static_cast<double>(count_of(found.whole, "mm_tokens_per_image", 256));
  const auto side = static_cast<int64_t>(std::lround(std::sqrt(tokens)));
  set_number(map_of(tower, "projector"), "merge", side > 0 ? std::max<int64_t>(row / side, 1) : 1);
}

/// Patches have a row of a table for their column and one for their line.
void set_gemma4(const Found& found, Value& tower) {
  set_number(map_of(tower, "patches"), "positions",
             2 * count_of(found.vision, "position_embedding_size", 10240));
  set_number(map_of(tower, "projector"), "merge", count_of(found.vision, "pooling_kernel_size", 3));
}

void set_llama4(const Found& found, Value& tower) {
  set_image(found, tower, 1);
  const Value* ratio = find_given(found.vision, "pixel_shuffle_ratio");
  const double kept = ratio ? config::as_number(*ratio, 0.01, 1) : 0.5;
  set_number(map_of(tower, "projector"), "merge", std::lround(1 / kept));
  set_widths(tower, {count_of(found.vision, "projector_input_dim", 4096),
                     count_of(found.vision, "projector_output_dim", 4096)});
}

/// Squares of patches, as wide as all of them, go through two products.
void merge_squares(const Found& found, Value& tower) {
  const int64_t merge = count_of(found.vision, "spatial_merge_size", 2);
  set_number(map_of(tower, "projector"), "merge", merge);
  set_widths(tower, {hidden_of(tower) * merge * merge});
}

void set_qwen2_vl(const Found& found, Value& tower) {
  set_number(tower, "ffn", hidden_of(tower) * count_of(found.vision, "mlp_ratio", 4));
  merge_squares(found, tower);
}

/// Attention within windows in all blocks but those listed.
void set_qwen2_5_vl(const Found& found, Value& tower) {
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

void set_qwen3_vl(const Found& found, Value& tower) {
  merge_squares(found, tower);
  copy(found.vision, "num_position_embeddings", map_of(tower, "patches"), "positions");
  const Value* deep = find_given(found.vision, "deepstack_visual_indexes");
  if (deep && deep->is_list())
    set_number(map_of(tower, "projector"), "deep", static_cast<int64_t>(deep->items.size()));
}

int64_t text_hidden(const Found& found) {
  return config::as_int(*found.text.find("hidden"), 1, 1 << 22);
}

void set_mistral3(const Found& found, Value& tower) {
  Value& projector = map_of(tower, "projector");
  set_number(projector, "merge", count_of(found.whole, "spatial_merge_size", 2));
  if (says(found.whole, "multimodal_projector_bias", true)) set(projector, "bias", "true");
  set_widths(tower, {hidden_of(tower), text_hidden(found)});
}

void set_llava(const Found& found, Value& tower) {
  Value& projector = map_of(tower, "projector");
  if (says(found.whole, "multimodal_projector_bias", false)) set(projector, "bias", "false");
  set_widths(tower, {text_hidden(found)});
}

void set_clip(const Found& found, Value& tower) {
  set_image(found, tower, 1);
  set_llava(found, tower);
}

constexpr const char* siglip_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: none, patches: {bias: true}, "
    "projector: {last_norm: true, pools: true, norm: rmsnorm, norms_merged: true}}";
constexpr const char* gemma4_tower =
    "{norm: rmsnorm, norms: both, gated: true, bias: false, positions: rope, attention: {norm: "
    "head, value_norm: true}, patches: {}, projector: {pools: true, norm: rmsnorm, norms_merged: "
    "true}}";
constexpr const char* llama4_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {class_token: true, "
    "norm: true}, projector: {last_norm: true}}";
constexpr const char* qwen2_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {}, "
    "projector: {norm: layernorm, bias: true}}";
constexpr const char* qwen2_5_tower =
    "{norm: rmsnorm, gated: true, bias: true, dropout: false, positions: rope, patches: {}, "
    "projector: {norm: rmsnorm, bias: true}}";
constexpr const char* qwen3_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: rope, patches: {bias: true}, "
    "projector: {norm: layernorm, bias: true}}";
constexpr const char* pixtral_in_mistral3 =
    "{norm: rmsnorm, gated: true, bias: false, positions: rope, patches: {norm: true}, "
    "projector: {norm: rmsnorm}}";
constexpr const char* pixtral_in_llava =
    "{norm: rmsnorm, gated: true, bias: false, positions: rope, patches: {norm: true}, "
    "projector: {bias: true}}";
constexpr const char* clip_tower =
    "{norm: layernorm, bias: true, dropout: false, positions: none, patches: {class_token: true, "
    "norm: true}, projector: {last_norm: true, bias: true}}";

constexpr const char* siglip_vision_class =
    "{hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 12, num_attention_heads: 12, "
    "image_size: 224, patch_size: 16}";
constexpr const char* gemma4_vision_class =
    "{hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 16, num_attention_heads: 12, "
    "num_key_value_heads: 12, head_dim: 64, patch_size: 16}";
constexpr const char* llama4_vision_class =
    "{hidden_size: 768, intermediate_size: 5632, num_hidden_layers: 34, num_attention_heads: 16, "
    "image_size: 448, patch_size: 14}";
constexpr const char* qwen2_vision_class =
    "{depth: 32, embed_dim: 1280, num_heads: 16, patch_size: 14, temporal_patch_size: 2}";
constexpr const char* qwen2_5_vision_class =
    "{depth: 32, hidden_size: 3584, intermediate_size: 3420, num_heads: 16, patch_size: 14, "
    "temporal_patch_size: 2, fullatt_block_indexes: [7, 15, 23, 31]}";
constexpr const char* qwen3_vision_class =
    "{depth: 27, hidden_size: 1152, intermediate_size: 4304, num_heads: 16, patch_size: 16, "
    "temporal_patch_size: 2, num_position_embeddings: 2304, deepstack_visual_indexes: [8, 16, 24]}";
constexpr const char* qwen3_5_vision_class =
    "{depth: 27, hidden_size: 1152, intermediate_size: 4304, num_heads: 16, patch_size: 16, "
    "temporal_patch_size: 2, num_position_embeddings: 2304}";
constexpr const char* pixtral_vision_class =
    "{hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 24, num_attention_heads: 16, "
    "patch_size: 16}";
constexpr const char* clip_vision_class =
    "{hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 12, num_attention_heads: 12, "
    "image_size: 224, patch_size: 32}";

constexpr Tower towers[] = {
    {"gemma3", "siglip_vision_model", siglip_tower, siglip_vision_class, set_gemma3},
    {"gemma4", "gemma4_vision", gemma4_tower, gemma4_vision_class, set_gemma4},
    {"llama4", "", llama4_tower, llama4_vision_class, set_llama4},
    {"qwen2_vl", "", qwen2_tower, qwen2_vision_class, set_qwen2_vl},
    {"qwen2_5_vl", "", qwen2_5_tower, qwen2_5_vision_class, set_qwen2_5_vl},
    {"qwen3_vl", "", qwen3_tower, qwen3_vision_class, set_qwen3_vl},
    {"qwen3_vl_moe", "", qwen3_tower, qwen3_vision_class, set_qwen3_vl},
    {"qwen3_5", "", qwen3_tower, qwen3_5_vision_class, set_qwen3_vl},
    {"qwen3_5_moe", "", qwen3_tower, qwen3_5_vision_class, set_qwen3_vl},
    {"mistral3", "pixtral", pixtral_in_mistral3, pixtral_vision_class, set_mistral3},
    {"llava", "pixtral", pixtral_in_llava, pixtral_vision_class, set_llava},
    {"llava", "clip_vision_model", clip_tower, clip_vision_class, set_clip},
};

const Tower* find_tower(const Value& given) {
  const Value* vision = find_given(given, "vision_config");
  const Value* model = find_given(given, "model_type");
  if (!vision || !vision->is_map() || !model) return nullptr;
  const Value* type = find_given(*vision, "model_type");
  const auto fits = [&](const Tower& tower) {
    const bool any = tower.type.empty() || !type;
    return tower.model == model->text && (any || tower.type == type->text);
  };
  const auto* found = std::ranges::find_if(towers, fits);
  return found == std::end(towers) ? nullptr : found;
}

Value made_tower(const Tower& kind, const Value& given, const Found& around) {
  Value tower =
      translate(around.vision, block_names, config::parse(kind.defaults, "built-in defaults"));
  Value& patches = *tower.find("patches");
  patches = translate(around.vision, patch_names, std::move(patches));
  tower.mark = given.mark;
  kind.extend(around, tower);
  return tower;
}

}  // namespace

void add_vision(const Value& given, const Value& value, Value& transformer) {
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
