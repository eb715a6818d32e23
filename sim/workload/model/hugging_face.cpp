// Hugging Face configurations (config.json): the same dimensions under each family's own names.
//
// A family decides what its configuration does not say: the MLP's form, the norm, the positions,
// whether blocks are parallel. Keys that change no shape are passed over. A sequence is
// max_position_embeddings, which for long-context checkpoints is longer than most of the training.
#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
namespace {

using config::Value;

struct Family {
  std::string_view type;          ///< model_type
  const char* defaults;           ///< what all its members share, as a transformer map
  bool tied;                      ///< when tie_word_embeddings is not given
  std::string_view experts = {};  ///< the key of their number, which all members have
  bool latent = false;            ///< all members have latent attention
  int64_t no_token = 0;           ///< positions that no token takes
};

constexpr const char* llama = "{gated: true, positions: rope, norm: rmsnorm, bias: false}";
constexpr const char* classic = "{positions: learned, norm: layernorm, bias: true}";
constexpr const char* encoder = "{positions: learned, norm: layernorm, bias: true, encoder: true}";
constexpr const char* parallel =
    "{positions: rope, norm: layernorm, bias: true, dropout: false, parallel_block: true}";

constexpr Family families[] = {
    {"llama", llama, false},
    {"mistral", llama, false},
    {"mixtral", llama, false, "num_local_experts"},
    {"qwen2", llama, false},
    {"qwen2_moe", llama, false, "num_experts"},
    {"qwen3", llama, false},
    {"qwen3_moe", llama, false, "num_experts"},
    {"deepseek", llama, false, "n_routed_experts"},
    {"deepseek_v2", llama, false, "n_routed_experts", true},
    {"deepseek_v3", llama, false, "n_routed_experts", true},
    {"gpt2", classic, true},
    {"opt", classic, true},
    {"bert", encoder, true},
    // Positions are counted on from the padding's, 1.
    {.type = "roberta", .defaults = encoder, .tied = true, .no_token = 2},
    {"bloom", "{positions: alibi, norm: layernorm, bias: true, dropout: false}", true},
    {"mpt", "{positions: alibi, norm: layernorm, bias: false}", true},
    {"gptj", parallel, false},
    {"gpt_neox", parallel, false},
    {"falcon", "{positions: rope, norm: layernorm, bias: false, parallel_block: true}", true},
    {"nemotron", "{positions: rope, norm: layernorm, bias: false}", false},
};

/// One of our keys and the names that families have for it; the first that is there counts.
struct Name {
  std::string_view key;
  std::array<std::string_view, 4> names;
  bool needed = false;
};

constexpr Name dimension_names[] = {
    {"layers", {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, true},
    {"hidden", {"hidden_size", "n_embd", "d_model"}, true},
    {"heads", {"num_attention_heads", "n_head", "n_heads", "num_heads"}, true},
    {"kv_heads", {"num_key_value_heads", "num_kv_heads"}},
    {"head_dim", {"head_dim"}},
    {"ffn", {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}},
    {"vocabulary", {"vocab_size"}, true},
};

constexpr Name expert_names[] = {
    {"count", {"n_routed_experts", "num_local_experts", "num_experts"}},
    {"active", {"num_experts_per_tok"}},
    {"shared", {"n_shared_experts"}},
    {"ffn", {"moe_intermediate_size", "intermediate_size"}},
    {"every", {"decoder_sparse_step", "moe_layer_freq"}},
    {"dense", {"first_k_dense_replace"}},
    {"groups", {"n_group"}},
    {"active_groups", {"topk_group"}},
};

constexpr Name latent_names[] = {
    {"query", {"q_lora_rank"}},     {"key_value", {"kv_lora_rank"}}, {"nope", {"qk_nope_head_dim"}},
    {"rope", {"qk_rope_head_dim"}}, {"value", {"v_head_dim"}},
};

constexpr Name sequence_name = {
    "sequence", {"max_position_embeddings", "n_positions", "seq_length", "max_seq_len"}};

/// The first of the names that `value` has and does not leave null.
const Value* find_any(const Value& value, const Name& name) {
  for (const std::string_view key : name.names)
    if (const Value* found = value.find(key); found && !found->is_null()) return found;
  return nullptr;
}

const Value* find_given(const Value& value, std::string_view key) {
  return find_any(value, {key, {key}});
}

Value translate(const Value& value, std::span<const Name> names, Value into) {
  into.mark = value.mark;
  for (const Name& name : names)
    if (const Value* found = find_any(value, name)) into.set(name.key, *found);
  return into;
}

const Family& family_of(const Value& value) {
  const Value* type = value.find("model_type");
  if (!type) value.fail("a Hugging Face configuration needs the key 'model_type'");
  std::vector<std::string_view> known;
  for (const Family& family : families) {
    if (family.type == config::as_text(*type)) return family;
    known.push_back(family.type);
  }
  type->fail(fmt::format("no model_type '{}' is known{}; known are {}", type->text,
                         did_you_mean(type->text, known), join(known)));
}

/// Refuses a configuration that lacks the parts of its family: without them the model would pass
/// for a dense one. A part that is null is left out on purpose, and one may be given under our
/// name.
void require_parts(const Value& value, const Family& family) {
  const auto require = [&](std::string_view key, std::string_view ours) {
    if (!value.find(key) && !value.find(ours))
      value.fail(fmt::format("model_type '{}' needs the key '{}'", family.type, key));
  };
  if (!family.experts.empty()) require(family.experts, "experts");
  if (family.latent) require("kv_lora_rank", "latent");
}

/// Refuses a configuration that lacks a dimension; it too may be given under our name.
void require_dimensions(const Value& value) {
  for (const Name& name : dimension_names) {
    if (!name.needed || find_any(value, name) || value.find(name.key)) continue;
    std::vector<std::string_view> others(name.names.begin() + 1, name.names.end());
    std::erase(others, "");
    value.fail(fmt::format("a Hugging Face configuration needs the key '{}'{}", name.names[0],
                           others.empty() ? "" : fmt::format(" (or {})", join(others))));
  }
}

/// Qwen's shared expert is one as wide as several of the others.
void add_shared_expert(const Value& value, Value& experts) {
  constexpr int64_t most_width = 1 << 22;
  const Value* shared = find_given(value, "shared_expert_intermediate_size");
  const Value* ffn = experts.find("ffn");
  if (!shared || !ffn) return;
  const int64_t width = config::as_int(*shared, 0, most_width);
  const int64_t one = config::as_int(*ffn, 1, most_width);
  if (width % one != 0)
    shared->fail(
        fmt::format("a shared expert of {} must be a multiple of the others, {}", width, one));
  experts.set("shared", config::number(width / one, shared->mark));
}

/// Tells whether `key` is there and says `expected`.
bool says(const Value& value, std::string_view key, bool expected) {
  const Value* found = find_given(value, key);
  return found && config::as_bool(*found) == expected;
}

void add_parts(const Value& value, Value& transformer) {
  if (find_any(value, expert_names[0])) {
    Value& experts = transformer.set("experts", translate(value, expert_names, {}));
    add_shared_expert(value, experts);
  }
  if (find_given(value, "kv_lora_rank"))
    transformer.set("latent", translate(value, latent_names, {}));
  const Value* window = find_given(value, "sliding_window");
  if (window && !says(value, "use_sliding_window", false)) transformer.set("window", *window);
  if (says(value, "use_parallel_residual", false) || says(value, "parallel_attn", false))
    transformer.set("parallel_block", config::scalar("false", value.mark));
  if (says(value, "multi_query", true) && !says(value, "new_decoder_architecture", true))
    transformer.set("kv_heads", config::number(1, value.mark));
}

/// The longest sequence.
Value tokens_of(const Value& positions, const Family& family) {
  const int64_t count = config::as_int(positions, family.no_token + 1, INT64_C(1) << 40);
  return config::number(count - family.no_token, positions.mark);
}

}  // namespace

bool is_hugging_face(const Value& value) {
  return value.find("model_type") || value.find("architectures");
}

Value from_hugging_face(const Value& value) {
  const Family& family = family_of(value);
  require_dimensions(value);
  require_parts(value, family);
  Value transformer =
      translate(value, dimension_names, config::parse(family.defaults, "built-in defaults"));
  add_parts(value, transformer);
  const Value* tied = find_given(value, "tie_word_embeddings");
  transformer.set("tied_embeddings",
                  tied ? *tied : config::scalar(family.tied ? "true" : "false", value.mark));
  Value model;
  model.mark = value.mark;
  model.set("transformer", transformer);
  if (const Value* sequence = find_any(value, sequence_name))
    model.set("sequence", tokens_of(*sequence, family));
  return model;
}

}  // namespace pipewright
