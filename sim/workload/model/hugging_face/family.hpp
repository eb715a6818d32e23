// A family of models: what its configurations say, and what they leave to the family.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::hugging_face {

struct Family {
  std::string_view type;          ///< model_type
  const char* defaults;           ///< what all its members share, as a transformer map
  bool tied;                      ///< when tie_word_embeddings is not given
  std::string_view experts = "";  ///< the key of their number, which all members have
  bool latent = false;            ///< all members have latent attention
  int64_t no_token = 0;           ///< positions that no token takes
  /// Adds what only this family says to a transformer map.
  void (*extend)(const Value& config, Value& transformer) = nullptr;
  bool attends = true;  ///< some blocks have attention, and files say how long sequences are
};

/// What many families share: gated MLPs and RMS norms without biases; norms of heads beside them.
inline constexpr const char* gated_rms =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false}";
inline constexpr const char* head_norms =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, attention: {norm: head}}";

std::span<const Family> families();
std::span<const Family> plain_families();
std::span<const Family> expert_families();
std::span<const Family> hybrid_families();

/// A family that is known and whose blocks are not modelled, what they have, and the family that
/// is nearest.
struct Unmodelled {
  std::string_view type, why, nearest;
};
std::span<const Unmodelled> unmodelled();

// What families say beyond the names that all have, by the file that they are in.
void extend_qwen2(const Value& config, Value& transformer);
void extend_qwen3(const Value& config, Value& transformer);
void extend_biased_inputs(const Value& config, Value& transformer);
void extend_hyperclovax(const Value& config, Value& transformer);
void extend_qk_norm(const Value& config, Value& transformer);
void extend_internlm2(const Value& config, Value& transformer);
void extend_qwen(const Value& config, Value& transformer);
void extend_chatglm(const Value& config, Value& transformer);
void extend_gpt_neo(const Value& config, Value& transformer);
void extend_opt(const Value& config, Value& transformer);
void extend_gpt_bigcode(const Value& config, Value& transformer);
void extend_t5(const Value& config, Value& transformer);
void extend_distilbert(const Value& config, Value& transformer);
void extend_modernbert(const Value& config, Value& transformer);
void extend_stablelm(const Value& config, Value& transformer);
void extend_cohere(const Value& config, Value& transformer);
void extend_olmo3(const Value& config, Value& transformer);
void extend_exaone4(const Value& config, Value& transformer);
void extend_gemma2(const Value& config, Value& transformer);
void extend_gemma3(const Value& config, Value& transformer);
void extend_gemma3n(const Value& config, Value& transformer);
void extend_gemma4(const Value& config, Value& transformer);
void extend_mimo_v2(const Value& config, Value& transformer);
void extend_cohere2(const Value& config, Value& transformer);
void extend_gpt_oss(const Value& config, Value& transformer);
void extend_glm4_moe(const Value& config, Value& transformer);
void extend_llama4(const Value& config, Value& transformer);
void extend_hunyuan(const Value& config, Value& transformer);
void extend_deepseek_v32(const Value& config, Value& transformer);
// compressed_keys.cpp
void extend_deepseek_v4(const Value& config, Value& transformer);
// expert_keys.cpp
void extend_qwen2_moe(const Value& config, Value& transformer);
void extend_granite_shared(const Value& config, Value& transformer);
void extend_dbrx(const Value& config, Value& transformer);
void extend_ernie_moe(const Value& config, Value& transformer);
void extend_bailing(const Value& config, Value& transformer);
void extend_smallthinker(const Value& config, Value& transformer);
void extend_afmoe(const Value& config, Value& transformer);
// mixer_keys.cpp
void extend_minimax(const Value& config, Value& transformer);
void extend_minimax_m2(const Value& config, Value& transformer);
void extend_mamba2(const Value& config, Value& transformer);
void extend_nemotron_h(const Value& config, Value& transformer);
void extend_kimi_linear(const Value& config, Value& transformer);
void extend_olmo_hybrid(const Value& config, Value& transformer);
void extend_qwen3_next(const Value& config, Value& transformer);
// mamba_keys.cpp
void extend_mamba(const Value& config, Value& transformer);
void extend_falcon_mamba(const Value& config, Value& transformer);
void extend_jamba(const Value& config, Value& transformer);
// bamba_keys.cpp
void extend_bamba(const Value& config, Value& transformer);
void extend_granite_hybrid(const Value& config, Value& transformer);
void extend_falcon_h1(const Value& config, Value& transformer);
// convolution_keys.cpp
void extend_lfm2(const Value& config, Value& transformer);
void extend_lfm2_moe(const Value& config, Value& transformer);
// bailing_keys.cpp
void extend_bailing_linear(const Value& config, Value& transformer);
void extend_bailing_hybrid(const Value& config, Value& transformer);
// laguna_keys.cpp
void extend_laguna(const Value& config, Value& transformer);
// longcat_keys.cpp
void extend_longcat(const Value& config, Value& transformer);
// recurrent_keys.cpp
void extend_recurrent_gemma(const Value& config, Value& transformer);
// rwkv_keys.cpp
void extend_rwkv7(const Value& config, Value& transformer);
// step_keys.cpp
void extend_step3(const Value& config, Value& transformer);
void extend_step3p5(const Value& config, Value& transformer);
// nas_keys.cpp
void extend_nemotron_nas(const Value& config, Value& transformer);
// sound_keys.cpp
void extend_whisper(const Value& config, Value& transformer);
// sparse_keys.cpp
void extend_minimax_m3(const Value& config, Value& transformer);

/// Returns the map `key` of a transformer map, made where it is not there.
Value& map_of(Value& transformer, std::string_view key);

/// Sets `mixers` as the list `layer_types` names them, where there is one. Throws InputError for a
/// type that is not known. `linear`: what linear_attention is in this family.
bool read_layer_types(const Value& config, std::string_view linear, Value& transformer);
/// Sets `feeds` where a list says which layers have experts: mlp_layer_types, is_moe_layer,
/// moe_layer_freq, or mlp_only_layers, which says which have none.
void read_feed_types(const Value& config, Value& transformer);
/// Refuses a list that has not one entry for each of `layers` blocks.
void require_one_for_each(const Value& list, int64_t layers);
/// Tells of each of `layers` blocks whether its number is in a list.
std::vector<bool> listed_blocks(const Value& list, int64_t layers);
/// Sets the kinds of blocks, full or without attention, and leaves out heads where none attends.
void set_mixers(Value& transformer, const std::vector<std::string_view>& kinds);
/// Sets `feeds` to experts in the blocks of which `routes` is true.
void set_feeds(Value& transformer, const std::vector<bool>& routes);
/// Sets `mixers` to `often` in all blocks but the last of every `interval`, which has `rare`.
void alternate(Value& transformer, std::string_view often, std::string_view rare, int64_t interval);

}  // namespace pipewright::hugging_face
