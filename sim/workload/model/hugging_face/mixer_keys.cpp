// What configurations of families with state-space layers or linear attention say beyond the common
// names.
#include <fmt/format.h>

#include <algorithm>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// A block of Nemotron-H: a mixer or a feed-forward by itself.
struct BlockType {
  char letter;  ///< in hybrid_override_pattern
  std::string_view name, other_name;
  std::string_view mixer, feed;
};
constexpr BlockType block_types[] = {
    {'M', "linear_attention", "mamba", "state-space", "none"},
    {'*', "full_attention", "attention", "full", "none"},
    {'-', "mlp", "mlp", "none", "dense"},
    {'E', "moe", "moe", "none", "experts"},
};

const BlockType& type_of(char letter, const Value& at) {
  for (const BlockType& type : block_types)
    if (type.letter == letter) return type;
  at.fail(
      fmt::format("no layer type '{}' is known; a pattern is made of M (Mamba 2), * "
                  "(attention), - (MLP) and E (experts)",
                  letter));
}

const BlockType& type_of(const Value& item) {
  const std::string& name = config::as_text(item);
  for (const BlockType& type : block_types)
    if (type.name == name || type.other_name == name) return type;
  item.fail(fmt::format(
      "no layer type '{}' is known; known are linear_attention, full_attention, mlp and moe",
      name));
}

std::vector<BlockType> blocks_of(const Value& config) {
  std::vector<BlockType> blocks;
  if (const Value* pattern = find_given(config, "hybrid_override_pattern")) {
    if (!pattern->is_list()) {
      for (const char letter : config::as_text(*pattern))
        blocks.push_back(type_of(letter, *pattern));
      return blocks;
    }
    for (const Value& item : pattern->items) {
      const std::string& letter = config::as_text(item);
      blocks.push_back(type_of(letter.size() == 1 ? letter.front() : ' ', item));
    }
    return blocks;
  }
  const Value* list = find_given(config, "layers_block_type");
  if (!list || !list->is_list() || list->items.empty())
    config.fail(
        "model_type 'nemotron_h' needs the key 'hybrid_override_pattern', such as M-M*-, or a list "
        "'layers_block_type'");
  for (const Value& item : list->items) blocks.push_back(type_of(item));
  return blocks;
}

Value parts_of(const std::vector<BlockType>& blocks, std::string_view BlockType::*part) {
  std::vector<std::string_view> kinds;
  for (const BlockType& block : blocks) kinds.push_back(block.*part);
  return list_of(kinds);
}

constexpr Name state_space_names[] = {
    {"heads", {"mamba_num_heads", "num_heads"}},
    {"head_dim", {"mamba_head_dim", "head_dim"}},
    {"state", {"ssm_state_size", "state_size"}},
    {"groups", {"n_groups", "mamba_n_groups"}},
    {"convolution", {"conv_kernel", "mamba_d_conv"}},
    {"chunk", {"chunk_size", "mamba_chunk_size"}},
    {"bias", {"mamba_proj_bias", "use_bias"}},
    {"convolution_bias", {"use_conv_bias", "mamba_conv_bias"}},
};

constexpr Name gated_delta_names[] = {
    {"key_heads", {"linear_num_key_heads"}},     {"value_heads", {"linear_num_value_heads"}},
    {"key_dim", {"linear_key_head_dim"}},        {"value_dim", {"linear_value_head_dim"}},
    {"convolution", {"linear_conv_kernel_dim"}},
};

void add_pattern_experts(const Value& config, Value& transformer) {
  if (!find_given(config, "n_routed_experts"))
    config.fail("a pattern with E needs the key 'n_routed_experts'");
  copy(config, "moe_shared_expert_intermediate_size", map_of(transformer, "experts"), "shared_ffn");
  copy(config, "moe_latent_size", map_of(transformer, "experts"), "latent");
}

}  // namespace

/// Lightning attention where the list has 0 or linear_attention, softmax attention elsewhere.
void extend_minimax(const Value& config, Value& transformer) {
  if (says(config, "use_qk_norm", true)) set(transformer, "attention", "{norm: width}");
  if (read_layer_types(config, "lightning", transformer)) return;
  const Value* list = find_given(config, "attn_type_list");
  if (!list || !list->is_list() || list->items.empty())
    config.fail(
        fmt::format("model_type '{}' needs the key 'attn_type_list', a list of 0 (lightning) and "
                    "1 (softmax), or 'layer_types'",
                    config.find("model_type")->text));
  require_one_for_each(*list, count_of(config, "num_hidden_layers", 0));
  Value mixers;
  mixers.kind = Value::Kind::list;
  for (const Value& item : list->items)
    mixers.items.push_back(
        config::scalar(config::as_int(item, 0, 1) == 0 ? "lightning" : "full", item.mark));
  transformer.set("mixers", std::move(mixers));
}

/// Softmax attention everywhere, whose queries and keys are normed all heads together.
void extend_minimax_m2(const Value& config, Value& transformer) {
  if (says(config, "use_qk_norm", true)) set(transformer, "attention", "{norm: width}");
}

/// Mamba2Config refuses heads that are together of another width than the mixer.
static void check_heads(const Value& config) {
  const int64_t width = count_of(config, "expand", 2) * count_of(config, "hidden_size", 0);
  const int64_t heads = count_of(config, "num_heads", 128), each = count_of(config, "head_dim", 64);
  if (heads * each == width) return;
  const Value* said = find_given(config, "num_heads");
  (said ? *said : config)
      .fail(fmt::format("num_heads {} x head_dim {} must be expand x hidden_size {}", heads, each,
                        width));
}

void extend_mamba2(const Value& config, Value& transformer) {
  check_heads(config);
  for (const char* key : {"heads", "kv_heads", "head_dim", "ffn"}) erase(transformer, key);
  transformer.set("state_space", translate(config, state_space_names, {}));
  set(transformer, "mixers", "state-space");
  set(transformer, "feeds", "none");
}

/// Refuses a number of blocks that is not the pattern's, as NemotronHConfig does.
static void check_blocks(const Value& config, size_t blocks) {
  const Value* layers = find_given(config, "num_hidden_layers");
  if (layers && count_of(config, "num_hidden_layers", 0) != static_cast<int64_t>(blocks))
    layers->fail(fmt::format("num_hidden_layers is {}, and the pattern has {} blocks", layers->text,
                             blocks));
}

void extend_nemotron_h(const Value& config, Value& transformer) {
  const std::vector<BlockType> blocks = blocks_of(config);
  check_blocks(config, blocks.size());
  set_number(transformer, "layers", static_cast<int64_t>(blocks.size()));
  transformer.set("mixers", parts_of(blocks, &BlockType::mixer));
  transformer.set("feeds", parts_of(blocks, &BlockType::feed));
  copy(config, "attention_head_dim", transformer, "head_dim");
  transformer.set("state_space", translate(config, state_space_names, {}));
  const bool routes =
      std::ranges::any_of(blocks, [](const BlockType& block) { return block.feed == "experts"; });
  if (routes)
    add_pattern_experts(config, transformer);
  else
    erase(transformer, "experts");
}

/// What Kimi K3 says beyond Kimi Linear.
static void read_kimi_k3(const Value& config, const Value& linear, Value& transformer) {
  copy(config, "attn_res_block_size", transformer, "block_residuals");
  if (says(linear, "use_full_rank_gate", true))
    set(map_of(transformer, "gated_delta"), "gate_rank", "0");
  if (says(config, "mla_use_output_gate", true))
    set(map_of(transformer, "attention"), "gate", "true");
  if (!find_given(config, "routed_expert_hidden_size")) return;
  Value& experts = map_of(transformer, "experts");
  copy(config, "routed_expert_hidden_size", experts, "latent");
  if (says(config, "latent_moe_use_norm", true)) set(experts, "latent_norm", "true");
}

/// Gated delta rule where kda_layers, which count from 1, say so; elsewhere latent attention.
void extend_kimi_linear(const Value& config, Value& transformer) {
  const Value* linear = find_given(config, "linear_attn_config");
  const Value* kda = linear ? find_given(*linear, "kda_layers") : nullptr;
  if (!kda || !kda->is_list())
    config.fail(
        "model_type 'kimi_linear' needs the key 'linear_attn_config' with a list 'kda_layers'");
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  std::vector<std::string_view> kinds(static_cast<size_t>(layers), "full");
  for (const Value& item : kda->items)
    kinds[static_cast<size_t>(config::as_int(item, 1, layers) - 1)] = "gated-delta";
  transformer.set("mixers", list_of(kinds));
  Value& delta = map_of(transformer, "gated_delta");
  for (const char* key : {"key_heads", "value_heads"}) copy(*linear, "num_heads", delta, key);
  for (const char* key : {"key_dim", "value_dim", "rank"}) copy(*linear, "head_dim", delta, key);
  copy(*linear, "short_conv_kernel_size", delta, "convolution");
  Value& experts = map_of(transformer, "experts");
  copy(config, "num_experts_per_token", experts, "active");
  copy(config, "num_shared_experts", experts, "shared");
  erase(transformer, "head_dim");
  read_kimi_k3(config, *linear, transformer);
}

/// Gated delta rule in all blocks but every fourth. Heads are as many as those of attention; keys
/// together are three quarters as wide as the model, values twice as wide as keys.
void extend_olmo_hybrid(const Value& config, Value& transformer) {
  if (!read_layer_types(config, "gated-delta", transformer))
    alternate(transformer, "gated-delta", "full", 4);
  Value delta = translate(config, gated_delta_names, {});
  const int64_t heads = count_of(config, "num_attention_heads", 1);
  for (const char* key : {"key_heads", "value_heads"})
    if (!delta.find(key)) set_number(delta, key, heads);
  const int64_t keys = std::max<int64_t>(count_of(delta, "key_heads", 1), 1);
  if (!delta.find("key_dim"))
    set_number(delta, "key_dim", 3 * count_of(config, "hidden_size", 0) / (4 * keys));
  if (!delta.find("value_dim")) set_number(delta, "value_dim", 2 * count_of(delta, "key_dim", 0));
  transformer.set("gated_delta", std::move(delta));
}

/// Gated delta rule in all blocks but every fourth, whose attention has a gate.
void extend_qwen3_next(const Value& config, Value& transformer) {
  if (!read_layer_types(config, "gated-delta", transformer))
    alternate(transformer, "gated-delta", "full", count_of(config, "full_attention_interval", 4));
  transformer.set("gated_delta", translate(config, gated_delta_names, {}));
}

}  // namespace pipewright::hugging_face
