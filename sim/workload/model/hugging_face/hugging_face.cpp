// Hugging Face configurations (config.json): the same dimensions under each family's own names.
//
// Keys that change no shape are passed over. A model of several kinds of input has its text model
// under text_config, which is what is read. A sequence is max_position_embeddings, which for
// long-context checkpoints is longer than most of the training; a state-space model has none, and
// is given the 2048 tokens that Mamba 2 was trained with (arXiv 2405.21060, section 9).
#include "workload/model/hugging_face/hugging_face.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "workload/model/hugging_face/family.hpp"

namespace pipewright {
namespace {

using config::Value;
using namespace hugging_face;

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
    "sequence",
    {"max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "model_max_length"}};
constexpr std::string_view sequence_of_mamba = "2048";

/// A family's name without the ending of its text model.
std::string_view type_of(const Value& type) {
  std::string_view name = config::as_text(type);
  if (name.ends_with("_text")) name.remove_suffix(std::string_view("_text").size());
  return name;
}

const Family* find_family(const Value& type) {
  for (const Family& family : families())
    if (family.type == type_of(type)) return &family;
  return nullptr;
}

const Family& family_of(const Value& value) {
  const Value* type = value.find("model_type");
  if (!type) value.fail("a Hugging Face configuration needs the key 'model_type'");
  if (const Family* family = find_family(*type)) return *family;
  for (const Unmodelled& family : unmodelled())
    if (family.type == type_of(*type))
      type->fail(fmt::format("model_type '{}' is not modelled: {}", type->text, family.why));
  std::vector<std::string_view> known;
  for (const Family& family : families()) known.push_back(family.type);
  type->fail(fmt::format("no model_type '{}' is known; known are {}{}", type->text, join(known),
                         did_you_mean(type->text, known)));
}

/// The text model of a configuration, with what stands around it where it is silent.
Value text_of(const Value& value) {
  const Value* text = value.find("text_config");
  if (!text || !text->is_map()) return value;
  Value whole;
  whole.mark = value.mark;
  for (const config::Entry& entry : value.entries)
    if (entry.key != "text_config") whole.set(entry.key, entry.value);
  config::merge(whole, *text);
  return whole;
}

/// `value` over what the family's class takes for a key that is not there or null.
Value with_defaults(const Value& value, const Family& family) {
  Value whole = value;
  for (const config::Entry& entry : config::parse(family.otherwise, "built-in defaults").entries)
    if (!value.find(entry.key)) {
      whole.set(entry.key, entry.value);
      whole.find(entry.key)->mark = value.mark;
    }
  return whole;
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
    if (name.key == "layers" && value.find("layers_block_type")) continue;
    std::vector<std::string_view> others(name.names.begin() + 1, name.names.end());
    std::erase(others, "");
    value.fail(fmt::format("a Hugging Face configuration needs the key '{}'{}", name.names[0],
                           others.empty() ? "" : fmt::format(" (or {})", join(others))));
  }
}

/// Qwen's shared expert is one as wide as several of the others, or of a width of its own.
void add_shared_expert(const Value& value, Value& experts) {
  constexpr int64_t most_width = 1 << 22;
  const Value* shared = find_given(value, "shared_expert_intermediate_size");
  const Value* ffn = experts.find("ffn");
  if (!shared || !ffn) return;
  const int64_t width = config::as_int(*shared, 0, most_width);
  const int64_t one = config::as_int(*ffn, 1, most_width);
  if (width == 0) return;
  const bool several = width % one == 0;
  experts.set("shared", config::number(several ? width / one : 1, shared->mark));
  if (!several) experts.set("shared_ffn", *shared);
  experts.set("shared_gate", config::scalar("true", shared->mark));
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

Value from_hugging_face(const Value& given) {
  const Value text = with_whole_numbers(text_of(given));
  const Family& family = family_of(text);
  const Value value = with_defaults(text, family);
  require_dimensions(value);
  require_parts(value, family);
  Value transformer =
      translate(value, dimension_names, config::parse(family.defaults, "built-in defaults"));
  add_parts(value, transformer);
  if (family.extend) family.extend(value, transformer);
  if (!transformer.find("mixers")) read_layer_types(value, "", transformer);
  const Value* tied = find_given(value, "tie_word_embeddings");
  transformer.set("tied_embeddings",
                  tied ? *tied : config::scalar(family.tied ? "true" : "false", value.mark));
  Value model;
  model.mark = value.mark;
  model.set("transformer", transformer);
  if (const Value* sequence = find_any(value, sequence_name))
    model.set("sequence", tokens_of(*sequence, family));
  else if (family.type == "mamba2")
    model.set("sequence", config::scalar(sequence_of_mamba, value.mark));
  return model;
}

std::string left_out_of(const Value& value) {
  std::string parts;
  for (const char* key : {"vision_config", "audio_config"})
    if (find_given(value, key)) parts += fmt::format("{}{}", parts.empty() ? "" : ", ", key);
  if (!parts.empty())
    return fmt::format("the model's text part only: what {} describes is left out", parts);
  const Value text = text_of(value);
  const Value* modules = find_given(text, "num_nextn_predict_layers");
  if (modules && modules->text != "0" && !value.find("predict"))
    return "the modules that predict further tokens are left out, as the library does; 'predict' "
           "adds them";
  return "";
}

}  // namespace pipewright
