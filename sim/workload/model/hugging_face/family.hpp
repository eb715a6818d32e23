// A family of models: what its configurations say, and what they leave to the family.
#pragma once

#include <span>
#include <string_view>

#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::hugging_face {

struct Family {
  std::string_view type;     ///< model_type
  const char* defaults;      ///< what all its members share, as a transformer map
  bool tied;                 ///< when tie_word_embeddings is not given
  std::string_view experts;  ///< the key of their number, which all members have
  bool latent = false;       ///< all members have latent attention
  int64_t no_token = 0;      ///< positions that no token takes
  /// Adds what only this family says to a transformer map.
  void (*extend)(const Value& config, Value& transformer) = nullptr;
  /// What the library's class takes where a file leaves a key out, as a map of its keys.
  const char* otherwise = "{}";
};

std::span<const Family> families();

/// A family that is known and whose blocks are not modelled, and what they have.
struct Unmodelled {
  std::string_view type, why;
};
std::span<const Unmodelled> unmodelled();

// What families say beyond the names that all have, by the file that they are in.
void extend_qwen2(const Value& config, Value& transformer);
void extend_gemma2(const Value& config, Value& transformer);
void extend_gemma3(const Value& config, Value& transformer);
void extend_cohere2(const Value& config, Value& transformer);
void extend_gpt_oss(const Value& config, Value& transformer);
void extend_glm4_moe(const Value& config, Value& transformer);
void extend_llama4(const Value& config, Value& transformer);
void extend_hunyuan(const Value& config, Value& transformer);
void extend_deepseek_v32(const Value& config, Value& transformer);
// mixer_families.cpp
void extend_minimax(const Value& config, Value& transformer);
void extend_minimax_m2(const Value& config, Value& transformer);
void extend_mamba2(const Value& config, Value& transformer);
void extend_nemotron_h(const Value& config, Value& transformer);
void extend_kimi_linear(const Value& config, Value& transformer);
void extend_qwen3_next(const Value& config, Value& transformer);

/// Returns the map `key` of a transformer map, made where it is not there.
Value& map_of(Value& transformer, std::string_view key);

/// Sets `mixers` as the list `layer_types` names them, where there is one. Throws InputError for a
/// type that is not known. `linear`: what linear_attention is in this family.
bool read_layer_types(const Value& config, std::string_view linear, Value& transformer);
/// Sets `mixers` to `often` in all blocks but the last of every `interval`, which has `rare`.
void alternate(Value& transformer, std::string_view often, std::string_view rare, int64_t interval);

}  // namespace pipewright::hugging_face
