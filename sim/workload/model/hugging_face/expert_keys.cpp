// What configurations of families with experts say beyond the common names.
#include <algorithm>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name dbrx_expert_names[] = {
    {"count", {"moe_num_experts"}},
    {"active", {"moe_top_k"}},
    {"ffn", {"ffn_hidden_size"}},
};

constexpr Name smallthinker_expert_names[] = {
    {"count", {"moe_num_primary_experts"}},
    {"active", {"moe_num_active_primary_experts"}},
    {"ffn", {"moe_ffn_hidden_size"}},
};

}  // namespace

/// An MLP for every token is a shared expert.
void extend_granite_shared(const Value& config, Value& transformer) {
  if (count_of(config, "shared_intermediate_size", 0) == 0) return;
  Value& experts = map_of(transformer, "experts");
  set(experts, "shared", "1");
  copy(config, "shared_intermediate_size", experts, "shared_ffn");
}

void extend_dbrx(const Value& config, Value& transformer) {
  const Value* feed = find_given(config, "ffn_config");
  if (!feed || !find_given(*feed, "moe_num_experts"))
    config.fail(
        "model_type 'dbrx' needs the key 'ffn_config' with moe_num_experts, moe_top_k and "
        "ffn_hidden_size");
  transformer.set("experts", translate(*feed, dbrx_expert_names, {}));
  if (const Value* attention = find_given(config, "attn_config"))
    copy(*attention, "kv_n_heads", transformer, "kv_heads");
}

/// Experts in every moe_layer_interval-th block from moe_layer_start_index to moe_layer_end_index.
void extend_ernie_moe(const Value& config, Value& transformer) {
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  const int64_t first = count_of(config, "moe_layer_start_index", 1);
  const Value* end = find_given(config, "moe_layer_end_index");
  const int64_t last =
      end && end->text != "-1" ? count_of(config, "moe_layer_end_index", 0) : layers - 1;
  const int64_t interval = count_of(config, "moe_layer_interval", 1);
  std::vector<bool> routes;
  for (int64_t block = 0; block < layers; ++block)
    routes.push_back(block >= first && block <= last && interval > 0 &&
                     (block + 1) % interval == 0);
  set_feeds(transformer, routes);
}

void extend_bailing(const Value& config, Value& transformer) {
  extend_qk_norm(config, transformer);
  if (says(config, "use_qk_norm", true)) set(map_of(transformer, "attention"), "norm", "head");
  copy(config, "moe_shared_expert_intermediate_size", map_of(transformer, "experts"), "shared_ffn");
}

/// A list says of every block by 0 or 1 whether it has a window.
void extend_smallthinker(const Value& config, Value& transformer) {
  Value& experts = map_of(transformer, "experts");
  experts = translate(config, smallthinker_expert_names, {});
  const Value* windows = find_given(config, "sliding_window_layout");
  copy(config, "sliding_window_size", transformer, "window");
  if (!windows || !windows->is_list()) return;
  std::vector<std::string_view> mixers;
  for (const Value& item : windows->items)
    mixers.push_back(config::as_int(item, 0, 1) == 1 ? "sliding" : "full");
  transformer.set("mixers", list_of(mixers));
}

/// Every fourth block sees all tokens.
void extend_afmoe(const Value& config, Value& transformer) {
  copy(config, "num_dense_layers", map_of(transformer, "experts"), "dense");
  if (find_given(config, "sliding_window") && !read_layer_types(config, "", transformer))
    alternate(transformer, "sliding", "full", count_of(config, "global_attn_every_n_layers", 4));
}

/// A window is that of every other one of the first max_window_layers blocks.
void extend_qwen2_moe(const Value& config, Value& transformer) {
  set(map_of(transformer, "attention"), "bias",
      says(config, "qkv_bias", false) ? "none" : "inputs");
  if (!transformer.find("window") || find_given(config, "layer_types")) return;
  std::vector<std::string_view> mixers(
      static_cast<size_t>(count_of(config, "num_hidden_layers", 0)), "full");
  const auto end =
      std::min(mixers.size(), static_cast<size_t>(count_of(config, "max_window_layers", 0)));
  for (size_t block = 0; block < end; block += 2) mixers[block] = "sliding";
  if (end == 0) return erase(transformer, "window");
  transformer.set("mixers", list_of(mixers));
}

}  // namespace pipewright::hugging_face
