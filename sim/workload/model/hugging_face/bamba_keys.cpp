// What configurations of Bamba, Granite 4 and Falcon-H1 say beyond the common names: blocks of
// Mamba 2 or attention, or both side by side, each with an MLP or experts.
#include <fmt/format.h>

#include <algorithm>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name bamba_names[] = {
    {"heads", {"mamba_n_heads"}},
    {"head_dim", {"mamba_d_head"}},
    {"state", {"mamba_d_state"}},
    {"groups", {"mamba_n_groups"}},
    {"convolution", {"mamba_d_conv"}},
    {"chunk", {"mamba_chunk_size"}},
    {"bias", {"mamba_proj_bias", "projectors_bias"}},
    {"convolution_bias", {"mamba_conv_bias"}},
};

/// State-space layers whose heads are together mamba_expand times as wide as the model.
void add_bamba_layers(const Value& config, Value& transformer) {
  Value state_space = translate(config, bamba_names, {});
  const int64_t heads = count_of(config, "mamba_n_heads", 128);
  const Value* width = state_space.find("head_dim");
  if (heads > 0 && width && width->text == "auto") {
    const int64_t inner = count_of(config, "mamba_expand", 2) * count_of(config, "hidden_size", 0);
    state_space.set("head_dim", config::number(inner / heads, config.mark));
  }
  transformer.set("state_space", std::move(state_space));
}

/// Layers by a list of mamba and attention.
std::vector<std::string_view> mamba_or_attention(const Value& list) {
  std::vector<std::string_view> kinds;
  for (const Value& item : list.items) {
    const std::string& name = config::as_text(item);
    if (name != "mamba" && name != "attention")
      item.fail(fmt::format("no layer type '{}' is known; known are mamba and attention", name));
    kinds.push_back(name == "mamba" ? "state-space" : "full");
  }
  return kinds;
}

bool is_rope(const Value& config) {
  const Value* kind = find_given(config, "position_embedding_type");
  return kind && kind->text == "rope";
}

}  // namespace

void extend_bamba(const Value& config, Value& transformer) {
  add_bamba_layers(config, transformer);
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  std::vector<std::string_view> kinds(static_cast<size_t>(layers), "state-space");
  if (const Value* attention = find_given(config, "attn_layer_indices"))
    for (const Value& item : attention->items)
      kinds[static_cast<size_t>(config::as_int(item, 0, layers - 1))] = "full";
  set_mixers(transformer, kinds);
}

/// Both in every block. The scan's width is said by itself.
void extend_falcon_h1(const Value& config, Value& transformer) {
  add_bamba_layers(config, transformer);
  Value& state_space = map_of(transformer, "state_space");
  const int64_t heads = count_of(config, "mamba_n_heads", 128);
  if (find_given(config, "mamba_d_ssm") && heads > 0)
    set_number(state_space, "head_dim", count_of(config, "mamba_d_ssm", 0) / heads);
  if (!says(config, "mamba_rms_norm", true)) set(state_space, "norm", "false");
  set(transformer, "mixers", "full-and-state-space");
}

/// A block has a shared MLP, and experts beside it where there are any.
void extend_granite_hybrid(const Value& config, Value& transformer) {
  add_bamba_layers(config, transformer);
  const Value* types = find_any(config, {"mixers", {"layer_types", "layers_block_type"}});
  set_mixers(transformer,
             types ? mamba_or_attention(*types) : std::vector<std::string_view>{"state-space"});
  if (!is_rope(config)) set(transformer, "positions", "none");
  if (count_of(config, "num_local_experts", 8) > 0)
    return extend_granite_shared(config, transformer);
  erase(transformer, "experts");
  copy(config, "shared_intermediate_size", transformer, "ffn");
}

}  // namespace pipewright::hugging_face
