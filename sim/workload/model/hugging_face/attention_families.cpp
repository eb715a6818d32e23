// Families of attention and MLPs or experts, and what their configurations say beyond the common
// names.
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// Sets a key of the map `attention`.
void set_attention(Value& transformer, std::string_view key, std::string_view yaml) {
  set(map_of(transformer, "attention"), key, yaml);
}

/// Blocks with a window, but for the last of every `interval`, which sees all.
void slide(const Value& config, Value& transformer, int64_t interval) {
  if (!find_given(config, "sliding_window")) return;
  copy(config, "sliding_window", transformer, "window");
  if (!read_layer_types(config, "", transformer))
    alternate(transformer, "sliding", "full", interval);
}

void cap(const Value& config, Value& transformer) {
  if (find_given(config, "attn_logit_softcapping")) set_attention(transformer, "soft_cap", "true");
  if (find_given(config, "final_logit_softcapping")) set(transformer, "logit_cap", "true");
}

/// A list of the numbers of blocks with experts as `feeds`.
void feed_listed(const Value& listed, int64_t layers, Value& transformer) {
  Value feeds;
  feeds.kind = Value::Kind::list;
  feeds.mark = listed.mark;
  for (int64_t block = 0; block < layers; ++block) {
    bool routes = false;
    for (const Value& item : listed.items)
      routes = routes || config::as_int(item, 0, layers - 1) == block;
    feeds.items.push_back(config::scalar(routes ? "experts" : "dense", listed.mark));
  }
  transformer.set("feeds", std::move(feeds));
}

}  // namespace

/// Queries, keys and values have biases, their output has none.
void extend_qwen2(const Value&, Value& transformer) {
  set_attention(transformer, "bias", "inputs");
}

void extend_gemma2(const Value& config, Value& transformer) {
  slide(config, transformer, 2);
  cap(config, transformer);
}

void extend_gemma3(const Value& config, Value& transformer) {
  slide(config, transformer, count_of(config, "sliding_window_pattern", 6));
  cap(config, transformer);
}

void extend_cohere2(const Value& config, Value& transformer) {
  slide(config, transformer, count_of(config, "sliding_window_pattern", 4));
}

void extend_gpt_oss(const Value& config, Value& transformer) {
  slide(config, transformer, 2);
  Value& experts = map_of(transformer, "experts");
  copy(config, "experts_per_token", experts, "active");
  set(experts, "bias", "true");
}

void extend_glm4_moe(const Value& config, Value& transformer) {
  if (says(config, "attention_bias", true)) set_attention(transformer, "bias", "inputs");
  if (says(config, "use_qk_norm", true)) set_attention(transformer, "norm", "head");
}

/// Rotary blocks see chunks, every fourth block sees all tokens and knows no positions.
void extend_llama4(const Value& config, Value& transformer) {
  copy(config, "intermediate_size_mlp", transformer, "ffn");
  Value& experts = map_of(transformer, "experts");
  copy(config, "intermediate_size", experts, "ffn");
  copy(config, "interleave_moe_layer_step", experts, "every");
  set(experts, "shared", "1");
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  if (const Value* listed = find_given(config, "moe_layers"); listed && listed->is_list())
    feed_listed(*listed, layers, transformer);
  if (says(config, "use_qk_norm", true)) set_attention(transformer, "norm", "unit");
  if (!find_given(config, "attention_chunk_size")) return;
  copy(config, "attention_chunk_size", transformer, "window");
  if (!read_layer_types(config, "", transformer))
    alternate(transformer, "chunked", "full", count_of(config, "no_rope_layer_interval", 4));
}

void extend_hunyuan(const Value& config, Value& transformer) {
  if (says(config, "use_cla", true))
    find_given(config, "use_cla")->fail("attention that layers share (use_cla) is not modelled");
  if (says(config, "use_qk_norm", false)) set_attention(transformer, "norm", "none");
  Value& experts = map_of(transformer, "experts");
  set(experts, "shared", "1");
  copy(config, "moe_topk", experts, "active");
  copy(config, "num_shared_expert", experts, "shared");
  copy(config, "attention_head_dim", transformer, "head_dim");
}

void extend_deepseek_v32(const Value& config, Value& transformer) {
  Value& indexer = map_of(map_of(transformer, "attention"), "indexer");
  copy(config, "index_n_heads", indexer, "heads");
  copy(config, "index_head_dim", indexer, "head_dim");
  copy(config, "index_topk", indexer, "keys");
}

}  // namespace pipewright::hugging_face
