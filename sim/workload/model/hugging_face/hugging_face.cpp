// Hugging Face configurations (config.json): the same dimensions under each family's own names.
//
// Keys that change no shape are passed over. A sequence is max_position_embeddings, which for
// long-context checkpoints is longer than most of the training; a state-space model has none, and
// is given the 2048 tokens that Mamba 1 and 2 were trained with (arXiv 2312.00752, E.2;
// 2405.21060, section 9).
#include "workload/model/hugging_face/hugging_face.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "workload/model/hugging_face/class_defaults.hpp"
#include "workload/model/hugging_face/family.hpp"
#include "workload/model/hugging_face/parts.hpp"
#include "workload/model/hugging_face/text_model.hpp"
#include "workload/model/hugging_face/vision_keys.hpp"

namespace pipewright {
namespace {

using config::Value;
using namespace hugging_face;

constexpr Name dimension_names[] = {
    {"layers", {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, true},
    {"hidden", {"hidden_size", "n_embd", "d_model", "dim", "n_embed"}, true},
    {"heads", {"num_attention_heads", "n_head", "n_heads", "num_heads"}, true},
    {"kv_heads", {"num_key_value_heads", "num_kv_heads"}},
    {"head_dim", {"head_dim"}},
    {"ffn", {"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}},
    {"vocabulary", {"vocab_size"}, true},
};

constexpr Name sequence_name = {"sequence",
                                {"max_position_embeddings", "n_positions", "seq_length",
                                 "max_seq_len", "model_max_length", "max_source_positions"}};
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
      type->fail(fmt::format("model_type '{}' is not modelled: {}; the nearest that is: {}",
                             type->text, family.why, family.nearest));
  std::vector<std::string_view> known;
  for (const Family& family : families()) known.push_back(family.type);
  const std::string meant = did_you_mean(type->text, known);
  type->fail(fmt::format("no model_type '{}' is known{}", type->text,
                         meant.empty() ? "; known are " + join(known) : meant));
}

/// Refuses a configuration that lacks the parts of its family: without them the model would pass
/// for a dense one. A part that is null is left out on purpose, and one may be given under our
/// name.
void require_parts(const Value& value, const Family& family) {
  const auto require = [&](std::string_view key, std::string_view ours) {
    if (!value.find(key) && !value.find(ours))
      value.fail(fmt::format("model_type '{}' needs the key '{}'", family.type, key));
  };
  if (!family.experts.empty() && !says_experts(value)) require(family.experts, "experts");
  if (family.latent) require("kv_lora_rank", "latent");
}

/// Refuses a configuration that lacks a dimension; it too may be given under our name.
void require_dimensions(const Value& value, const Family& family) {
  for (const Name& name : dimension_names) {
    if (!name.needed || find_any(value, name) || value.find(name.key)) continue;
    if (name.key == "heads" && !family.attends) continue;
    const bool has_pattern =
        value.find("layers_block_type") || value.find("hybrid_override_pattern");
    if (name.key == "layers" && has_pattern) continue;
    std::vector<std::string_view> others(name.names.begin() + 1, name.names.end());
    std::erase(others, "");
    value.fail(fmt::format("a Hugging Face configuration needs the key '{}'{}", name.names[0],
                           others.empty() ? "" : fmt::format(" (or {})", join(others))));
  }
}

/// What says whether the head has the embedding's weights. Where both a whole and its text model
/// say it, version 5 of the library asks the whole, version 4 the text model.
const Value* find_tie(const Value& given, const Value& text) {
  const Value* whole = find_given(given, "tie_word_embeddings");
  const Value* version = find_given(given, "transformers_version");
  const bool asks_whole = whole && version && version->text.starts_with("5.");
  return asks_whole ? whole : find_given(text, "tie_word_embeddings");
}

/// The longest sequence.
Value tokens_of(const Value& positions, const Family& family) {
  const int64_t count = config::as_int(positions, family.no_token + 1, INT64_C(1) << 40);
  return config::number(count - family.no_token, positions.mark);
}

/// Refuses a draft of speculative decoding, which has the model_type of its blocks and reads what
/// layers of another model give (sgl-project/SpecForge, configs).
void refuse_draft(const Value& given) {
  const Value* architectures = given.find("architectures");
  if (!architectures || architectures->items.empty()) return;
  const Value& name = architectures->items.front();
  if (name.text.find("Eagle") != std::string::npos || name.text.ends_with("DraftModel"))
    name.fail(fmt::format("{} is a draft, which reads layers of another model: it is not modelled",
                          name.text));
}

}  // namespace

bool is_hugging_face(const Value& value) {
  return value.find("model_type") || value.find("architectures");
}

std::optional<int64_t> longest_sequence(const Value& given) {
  const Value text = with_whole_numbers(text_of(given));
  const Value* sequence = find_any(text, sequence_name);
  if (!sequence) return std::nullopt;
  const config::Value tokens = tokens_of(*sequence, family_of(text));
  return config::as_int(tokens, 1, INT64_C(1) << 40);
}

Value from_hugging_face(const Value& given) {
  refuse_draft(given);
  const Value text = with_whole_numbers(text_of(given));
  const Family& family = family_of(text);
  Value value = text;
  add_class_defaults(family.type, is_nested(given), value);
  require_dimensions(value, family);
  require_parts(value, family);
  Value transformer =
      translate(value, dimension_names, config::parse(family.defaults, "built-in defaults"));
  add_parts(value, transformer);
  if (family.extend) family.extend(value, transformer);
  if (!transformer.find("mixers")) read_layer_types(value, "", transformer);
  add_vision(given, value, transformer);
  const Value* tied = find_tie(given, value);
  transformer.set("tied_embeddings",
                  tied ? *tied : config::scalar(family.tied ? "true" : "false", value.mark));
  Value model;
  model.mark = value.mark;
  model.set("transformer", transformer);
  if (const Value* sequence = find_any(value, sequence_name))
    model.set("sequence", tokens_of(*sequence, family));
  else if (!family.attends)
    model.set("sequence", config::scalar(sequence_of_mamba, value.mark));
  return model;
}

}  // namespace pipewright
