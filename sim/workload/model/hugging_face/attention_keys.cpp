// What configurations of families with attention in all blocks say beyond the common names.
#include <fmt/format.h>

#include <algorithm>

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

/// Blocks that choose keys for themselves (full), and those that take the choice of the one before.
void read_indexer_types(const Value& config, Value& indexer) {
  const Value* types = find_given(config, "indexer_types");
  if (!types || !types->is_list()) return;
  std::vector<std::string_view> kinds;
  for (const Value& item : types->items)
    kinds.push_back(config::as_choice(item, {"full", "shared"}) == 0 ? "own" : "shared");
  indexer.set("blocks", list_of(kinds));
}

/// Blocks from number `first` on have the window, those before see all.
void slide_from(int64_t first, int64_t layers, Value& transformer) {
  std::vector<std::string_view> mixers(static_cast<size_t>(layers), "sliding");
  std::fill_n(mixers.begin(), std::min(first, layers), "full");
  transformer.set("mixers", list_of(mixers));
}

}  // namespace

/// A window is that of blocks from max_window_layers on.
void extend_qwen3(const Value& config, Value& transformer) {
  if (!transformer.find("window") || find_given(config, "layer_types")) return;
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  const int64_t first = count_of(config, "max_window_layers", 0);
  if (first >= layers) return erase(transformer, "window");
  slide_from(first, layers, transformer);
}

/// Queries, keys and values have biases, their output has none.
void extend_qwen2(const Value& config, Value& transformer) {
  set_attention(transformer, "bias", "inputs");
  extend_qwen3(config, transformer);
}

/// Where attention has biases, its output has none.
void extend_biased_inputs(const Value& config, Value& transformer) {
  if (says(config, "attention_bias", true) && !says(config, "attention_out_bias", true))
    set_attention(transformer, "bias", "inputs");
}

void extend_qk_norm(const Value& config, Value& transformer) {
  if (says(config, "use_qk_norm", false)) set_attention(transformer, "norm", "none");
}

void extend_hyperclovax(const Value& config, Value& transformer) {
  if (says(config, "use_post_norm", true)) set(transformer, "norms", "both");
}

void extend_internlm2(const Value& config, Value& transformer) {
  if (says(config, "bias", true)) set_attention(transformer, "bias", "all");
}

/// The first Qwen: `intermediate_size` is that of both products of the MLP.
void extend_qwen(const Value& config, Value& transformer) {
  set_attention(transformer, "bias", "inputs");
  copy(config, "kv_channels", transformer, "head_dim");
  if (const Value* both = find_given(config, "intermediate_size"))
    transformer.set("ffn",
                    config::number(count_of(config, "intermediate_size", 0) / 2, both->mark));
}

void extend_chatglm(const Value& config, Value& transformer) {
  copy(config, "kv_channels", transformer, "head_dim");
  copy(config, "padded_vocab_size", transformer, "vocabulary");
  if (says(config, "multi_query_attention", true))
    copy(config, "multi_query_group_num", transformer, "kv_heads");
  if (says(config, "add_qkv_bias", true)) set_attention(transformer, "bias", "inputs");
}

/// Global and local attention in turn, without biases but for its output's.
void extend_gpt_neo(const Value& config, Value& transformer) {
  set_attention(transformer, "bias", "output");
  set_number(transformer, "window", count_of(config, "window_size", 256));
  std::vector<std::string_view> mixers;
  const Value* types = find_given(config, "attention_types");
  for (const Value& group : types && types->is_list() ? types->items : std::vector<Value>{}) {
    if (!group.is_list() || group.items.size() != 2)
      group.fail("'attention_types' is a list such as [[[\"global\", \"local\"], 12]]");
    for (int64_t k = config::as_int(group.items[1], 0, 100'000); k > 0; --k)
      for (const Value& kind : group.items[0].items)
        mixers.push_back(config::as_choice(kind, {"global", "local"}) == 0 ? "full" : "sliding");
  }
  if (!mixers.empty()) transformer.set("mixers", list_of(mixers));
}

/// OPT 350M projects words to the width of its blocks and back.
void extend_opt(const Value& config, Value& /*transformer*/) {
  const int64_t hidden = count_of(config, "hidden_size", 0);
  if (const int64_t words = count_of(config, "word_embed_proj_dim", hidden); words != hidden)
    find_given(config, "word_embed_proj_dim")
        ->fail(fmt::format("embeddings of {} numbers for blocks of {} are not modelled", words,
                           hidden));
}

void extend_gpt_bigcode(const Value& config, Value& transformer) {
  if (!says(config, "multi_query", false)) set(transformer, "kv_heads", "1");
}

/// As many blocks of a decoder as of the encoder where their number is not said.
void extend_t5(const Value& config, Value& transformer) {
  copy(config, "num_layers", transformer, "decoder");
  copy(config, "num_decoder_layers", transformer, "decoder");
  copy(config, "d_ff", transformer, "ffn");
  copy(config, "d_kv", transformer, "head_dim");
  const Value* form = find_given(config, "feed_forward_proj");
  if (form && form->text.starts_with("gated")) set(transformer, "gated", "true");
}

void extend_distilbert(const Value& config, Value& transformer) {
  copy(config, "dim", transformer, "hidden");
  copy(config, "hidden_dim", transformer, "ffn");
}

/// A window that reaches to both sides, in all blocks but the first of every few.
void extend_modernbert(const Value& config, Value& transformer) {
  const int64_t interval = count_of(config, "global_attn_every_n_layers", 3);
  transformer.set("window", config::number(count_of(config, "local_attention", 128), config.mark));
  if (read_layer_types(config, "", transformer)) return;
  std::vector<std::string_view> mixers(static_cast<size_t>(interval), "sliding");
  if (interval > 0) mixers.front() = "full";
  transformer.set("mixers", list_of(mixers));
}

void extend_stablelm(const Value& config, Value& transformer) {
  if (says(config, "use_parallel_residual", true)) set(transformer, "parallel_block", "true");
  if (says(config, "qk_layernorm", true)) set_attention(transformer, "norm", "width");
}

void extend_cohere(const Value& config, Value& transformer) {
  if (says(config, "use_qk_norm", true)) set_attention(transformer, "norm", "width");
}

void extend_olmo3(const Value& config, Value& transformer) { slide(config, transformer, 4); }

/// "LLLG": three blocks with a window, then one without.
void extend_exaone4(const Value& config, Value& transformer) {
  const Value* pattern = find_given(config, "sliding_window_pattern");
  const bool letters = pattern && pattern->text.find_first_of("LG") != std::string::npos;
  slide(config, transformer,
        letters ? static_cast<int64_t>(pattern->text.size())
                : count_of(config, "sliding_window_pattern", 4));
}

void extend_gemma2(const Value& config, Value& transformer) {
  slide(config, transformer, 2);
  cap(config, transformer);
}

void extend_gemma3(const Value& config, Value& transformer) {
  slide(config, transformer, count_of(config, "sliding_window_pattern", 6));
  cap(config, transformer);
}

/// A table of embeddings for every block, and blocks at the end that take keys and values from
/// others.
static void read_edge_parts(const Value& config, Value& transformer) {
  if (count_of(config, "hidden_size_per_layer_input", 0) > 0) {
    copy(config, "hidden_size_per_layer_input", transformer, "block_inputs");
    copy(config, "vocab_size_per_layer_input", transformer, "block_vocabulary");
  }
  if (count_of(config, "num_kv_shared_layers", 0) == 0) return;
  copy(config, "num_kv_shared_layers", map_of(transformer, "attention"), "borrowing");
  if (says(config, "use_double_wide_mlp", true)) set(transformer, "wide_borrowers", "true");
}

/// Four streams of which one passes through a block, a residual of low rank, embeddings for every
/// block, and blocks at the end that borrow keys.
void extend_gemma3n(const Value& config, Value& transformer) {
  slide(config, transformer, 5);
  if (find_given(config, "final_logit_softcapping")) set(transformer, "logit_cap", "true");
  copy(config, "hidden_size_per_layer_input", transformer, "block_inputs");
  copy(config, "vocab_size_per_layer_input", transformer, "block_vocabulary");
  copy(config, "num_kv_shared_layers", map_of(transformer, "attention"), "borrowing");
  copy(config, "laurel_rank", transformer, "laurel");
  copy(config, "altup_num_inputs", transformer, "streams");
  if (count_of(config, "altup_num_inputs", 1) > 1) set(transformer, "alternating", "true");
}

/// Blocks that see all tokens have wider heads, whose values may be their keys. Where there are
/// experts, every token passes through the MLP beside them.
void extend_gemma4(const Value& config, Value& transformer) {
  read_edge_parts(config, transformer);
  slide(config, transformer, 6);
  cap(config, transformer);
  Value& full = map_of(map_of(transformer, "attention"), "full");
  copy(config, "global_head_dim", full, "head_dim");
  if (says(config, "attention_k_eq_v", true)) {
    copy(config, "num_global_key_value_heads", full, "kv_heads");
    set(full, "values_are_keys", "true");
  }
  if (!says(config, "enable_moe_block", true)) return erase(transformer, "experts");
  Value& experts = map_of(transformer, "experts");
  copy(config, "top_k_experts", experts, "active");
  set(experts, "shared", "1");
  copy(config, "intermediate_size", experts, "shared_ffn");
}

/// Blocks with a window have heads of their own: those are the common ones.
void extend_mimo_v2(const Value& config, Value& transformer) {
  Value& attention = map_of(transformer, "attention");
  Value& full = map_of(attention, "full");
  copy(config, "num_attention_heads", full, "heads");
  copy(config, "num_key_value_heads", full, "kv_heads");
  copy(config, "head_dim", full, "head_dim");
  copy(config, "v_head_dim", full, "value_dim");
  copy(config, "swa_num_attention_heads", transformer, "heads");
  copy(config, "swa_num_key_value_heads", transformer, "kv_heads");
  copy(config, "swa_head_dim", transformer, "head_dim");
  copy(config, "swa_v_head_dim", attention, "value_dim");
  if (says(config, "add_swa_attention_sink_bias", true)) set(attention, "sinks", "true");
  const Value* pattern = find_given(config, "hybrid_layer_pattern");
  if (!pattern || !pattern->is_list() || pattern->items.empty())
    config.fail(
        "model_type 'mimo_v2_flash' needs the key 'hybrid_layer_pattern', a list of 1 (a window) "
        "and 0 (all tokens)");
  std::vector<std::string_view> mixers;
  for (const Value& item : pattern->items)
    mixers.push_back(config::as_int(item, 0, 1) == 1 ? "sliding" : "full");
  transformer.set("mixers", list_of(mixers));
}

void extend_cohere2(const Value& config, Value& transformer) {
  slide(config, transformer, count_of(config, "sliding_window_pattern", 4));
}

void extend_gpt_oss(const Value& config, Value& transformer) {
  slide(config, transformer, 2);
  Value& experts = map_of(transformer, "experts");
  if (!experts.find("active")) copy(config, "experts_per_token", experts, "active");
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
  if (const Value* listed = find_given(config, "moe_layers"); listed && listed->is_list())
    set_feeds(transformer, listed_blocks(*listed, count_of(config, "num_hidden_layers", 0)));
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
  read_indexer_types(config, indexer);
}

}  // namespace pipewright::hugging_face
