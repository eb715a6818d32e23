#include "workload/model.hpp"

#include <algorithm>
#include <array>

namespace pipewright {
namespace {

constexpr std::array<std::string_view, 6> model_keys = {"description", "source",     "notes",
                                                        "sequence",    "parameters", "transformer"};

bool has(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

/// The transformer map with the keys beside it laid over it.
config::Value changed_transformer(const config::Value& value) {
  config::Value transformer = *value.find("transformer");
  config::Value changes;
  changes.kind = config::Value::Kind::map;
  for (const config::Entry& entry : value.entries)
    if (!has(model_keys, entry.key)) changes.entries.push_back(entry);
  if (transformer.is_map()) config::merge(transformer, changes);
  return transformer;
}

/// A Hugging Face map as a model map; changes to the transformer that stand in it are kept.
config::Value translated(const config::Value& value) {
  config::Value model = from_hugging_face(value);
  for (const config::Entry& entry : value.entries)
    if (has(transformer_keys(), entry.key)) model.set(entry.key, entry.value);
  return model;
}

}  // namespace

Model read_model(const config::Value& value) {
  if (value.is_map() && is_hugging_face(value)) return read_model(translated(value));
  if (!value.is_map() || !value.find("transformer")) {
    value.fail("a model must be a catalogue name, a file, or a map with 'transformer'");
  }
  Model model;
  if (const config::Value* text = value.find("description"))
    model.description = config::as_text(*text);
  if (const config::Value* text = value.find("source")) model.source = config::as_text(*text);
  if (const config::Value* tokens = value.find("sequence"))
    model.sequence = config::as_int(*tokens, 1, INT64_C(1) << 40);
  if (const config::Value* count = value.find("parameters"))
    model.parameters = config::as_count(*count);
  model.transformer = read_transformer(changed_transformer(value));
  return model;
}

}  // namespace pipewright
