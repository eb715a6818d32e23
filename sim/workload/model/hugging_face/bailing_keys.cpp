// What configurations of Ling and Ring with linear attention say beyond the common names
// (modeling_bailing_moe_linear_v2.py and modeling_bailing_moe_v3.py beside the weights of
// inclusionAI's Ring-mini-linear-2.0, Ring-2.5-1T and Ling-3.0-flash). The last block of every
// group, and those behind the last whole group, have attention to all tokens.
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

void set_groups(const Value& config, std::string_view linear, Value& transformer) {
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  const int64_t size = count_of(config, "layer_group_size", 1);
  if (size < 1) find_given(config, "layer_group_size")->fail("layer_group_size must be at least 1");
  std::vector<std::string_view> mixers;
  for (int64_t block = 0; block < layers; ++block)
    mixers.push_back((block + 1) % size == 0 || block >= layers / size * size ? "full" : linear);
  transformer.set("mixers", list_of(mixers));
}

void set_lightning(const Value& config, Value& transformer) {
  set_groups(config, "lightning", transformer);
  Value& lightning = map_of(transformer, "lightning");
  copy(config, "group_norm_size", lightning, "groups");
  if (!says(config, "use_qk_norm", false)) set(lightning, "head_norms", "true");
}

/// The gated delta rule with a decay for every channel (KDA), made directly or through a rank.
void set_channel_decays(const Value& config, Value& transformer) {
  set_groups(config, "gated-delta", transformer);
  Value& delta = map_of(transformer, "gated_delta");
  for (const char* key : {"key_heads", "value_heads"})
    copy(config, "num_attention_heads", delta, key);
  for (const char* key : {"key_dim", "value_dim"}) copy(config, "head_dim", delta, key);
  copy(config, "short_conv_kernel_size", delta, "convolution");
  set(delta, "channel_decay", "true");
  if (!says(config, "no_kda_lora", true)) copy(config, "head_dim", delta, "rank");
}

/// The gate of latent attention.
void set_gate(const Value& config, Value& transformer) {
  const Value* kind = find_given(config, "gated_attention_proj_granularity_type");
  if (!kind) return;
  const size_t choice = config::as_choice(*kind, {"head_wise", "element_wise"});
  set(map_of(transformer, "attention"), choice == 0 ? "head_gate" : "gate", "true");
}

}  // namespace

void extend_bailing_linear(const Value& config, Value& transformer) {
  set_lightning(config, transformer);
  copy(config, "moe_shared_expert_intermediate_size", map_of(transformer, "experts"), "shared_ffn");
  const bool norms = !find_given(config, "kv_lora_rank") && !says(config, "use_qk_norm", false);
  if (norms) set(map_of(transformer, "attention"), "norm", "head");
}

/// Version 2.5 has lightning attention, version 3 the gated delta rule.
void extend_bailing_hybrid(const Value& config, Value& transformer) {
  if (!find_given(config, "short_conv_kernel_size"))
    return extend_bailing_linear(config, transformer);
  set_channel_decays(config, transformer);
  copy(config, "moe_shared_expert_intermediate_size", map_of(transformer, "experts"), "shared_ffn");
  set_gate(config, transformer);
  if (find_given(config, "kv_lora_rank")) erase(transformer, "head_dim");
}

}  // namespace pipewright::hugging_face
