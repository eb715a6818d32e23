#include "workload/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/emit.hpp"
#include "workload/model/constants.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"
#include "workload/model/hugging_face/text_model.hpp"

namespace pipewright {
namespace {

constexpr std::array<std::string_view, 3> shape_keys = {"transformer", "cnn", "recurrent"};
constexpr std::array<std::string_view, 6> other_keys = {"description", "source",     "notes",
                                                        "sequence",    "parameters", "constants"};

bool has(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

/// The map under `key` with the keys beside it laid over it.
config::Value changed(const config::Value& value, std::string_view key) {
  config::Value shape = *value.find(key);
  config::Value changes;
  changes.kind = config::Value::Kind::map;
  for (const config::Entry& entry : value.entries)
    if (!has(shape_keys, entry.key) && !has(other_keys, entry.key))
      changes.entries.push_back(entry);
  if (shape.is_map()) config::merge(shape, changes);
  return shape;
}

/// The one of shape_keys that `value` has; empty where it has none or several.
std::string_view shape_key(const config::Value& value) {
  std::string_view found;
  for (const std::string_view key : shape_keys) {
    if (!value.find(key)) continue;
    if (!found.empty()) value.fail(fmt::format("a model is either {} or {}", found, key));
    found = key;
  }
  return found;
}

/// Layers as a list, rather than their number as a change to another shape.
bool has_measured_layers(const config::Value& value) {
  const config::Value* layers = value.find("layers");
  return layers && layers->is_list();
}

MeasuredLayers read_layers(const config::Value& value) {
  std::vector<std::string_view> keys(other_keys.begin(), other_keys.end());
  keys.insert(keys.end(), {"layers", "measured_batch"});
  const config::Fields fields(value, "a model of measured layers", keys);
  return read_measured_layers(fields.at("layers"), fields.find("measured_batch"));
}

void read_shape(const config::Value& value, Model& model) {
  if (shape_key(value).empty())
    model.layers = read_layers(value);
  else if (value.find("cnn"))
    model.cnn = read_cnn(changed(value, "cnn"));
  else if (value.find("recurrent"))
    model.recurrent = read_recurrent(changed(value, "recurrent"));
  else
    model.transformer = read_transformer(changed(value, "transformer"));
}

/// A Hugging Face map as a model map; changes to the transformer that stand in it are kept. A rate
/// of dropout is the library's: whether there is any counts.
config::Value translated(const config::Value& value) {
  config::Value model = from_hugging_face(value);
  for (const config::Entry& entry : value.entries) {
    if (!has(transformer_keys(), entry.key) || entry.value.is_null()) continue;
    const std::string& text = entry.value.text;
    const bool is_rate = entry.key == "dropout" && text.find_first_of("0123456789") == 0;
    const bool drops = is_rate && config::as_number(entry.value, 0, 1) > 0;
    model.set(entry.key,
              is_rate ? config::scalar(drops ? "true" : "false", entry.value.mark) : entry.value);
  }
  return model;
}

/// Returns the file of a place, or the map of a caller's document, whose places have a path and no
/// line.
std::string_view source_of(const config::Mark& place) {
  const std::string_view name = *place.file;
  return place.line > 0 ? name : name.substr(0, name.rfind('.'));
}

/// Tells whether it stands elsewhere than the configuration: the user adds it.
bool is_added(const config::Entry& entry, const config::Mark& home) {
  const auto elsewhere = [&](const config::Mark& place) {
    return place.file && home.file && source_of(place) != source_of(home);
  };
  return elsewhere(entry.value.mark) && elsewhere(entry.mark);
}

/// Another value of the same kind; null for a list or a map.
config::Value another(const config::Value& value) {
  if (!value.is_scalar()) return {};
  if (value.text == "true" || value.text == "false")
    return config::scalar(value.text == "true" ? "false" : "true", value.mark);
  return config::scalar(value.text + "1", value.mark);
}

/// Tells whether a configuration means another model, or none, with another value of `key`.
bool changes_model(const config::Value& value, const std::string& key) {
  try {
    const std::string as_it_is = config::to_yaml(translated(value));
    config::Value changed = value;
    *changed.find(key) = another(*value.find(key));
    return config::to_yaml(translated(changed)) != as_it_is;
  } catch (const InputError&) {
    return true;
  }
}

[[noreturn]] void fail_added(const config::Value& value, const config::Entry& added) {
  if (has(shape_keys, added.key)) {
    const std::string inner = added.value.is_map() && !added.value.entries.empty()
                                  ? added.value.entries[0].key
                                  : "layers";
    added.value.fail(
        fmt::format("a Hugging Face model has no '{0}': its keys stand beside those of the "
                    "configuration, as in "
                    "model.{1} for model.{0}.{1}",
                    added.key, inner));
  }
  std::vector<std::string_view> known(transformer_keys().begin(), transformer_keys().end());
  for (const config::Entry& entry : value.entries)
    if (&entry != &added) known.push_back(entry.key);
  added.value.fail(fmt::format("'{}' changes nothing of this Hugging Face model{}", added.key,
                               did_you_mean(added.key, known)));
}

/// Refuses what the user adds to a configuration and nothing reads. What stands in the file itself
/// and changes no shape is passed over.
void check_added(const config::Value& value) {
  constexpr std::array<std::string_view, 3> remarks = {"description", "source", "notes"};
  const config::Value* type = value.find("model_type");
  if (!type) type = value.find("architectures");
  for (const config::Entry& entry : value.entries) {
    if (!is_added(entry, type->mark) || has(transformer_keys(), entry.key) ||
        has(remarks, entry.key))
      continue;
    if (!changes_model(value, entry.key)) fail_added(value, entry);
  }
}

}  // namespace

Model read_model(const config::Value& value) {
  if (value.is_map() && is_hugging_face(value)) {
    check_added(value);
    Model model = read_model(translated(value));
    model.left_out = hugging_face::left_out_of(value, model.transformer.vision.has_value());
    model.positions = longest_sequence(value);
    return model;
  }
  if (!value.is_map() || (shape_key(value).empty() && !has_measured_layers(value))) {
    value.fail(
        "a model must be a catalogue name, a file, or a map with 'transformer', 'cnn', "
        "'recurrent' or a list 'layers'");
  }
  Model model;
  if (const config::Value* text = value.find("description"))
    model.description = config::as_text(*text);
  if (const config::Value* text = value.find("source")) model.source = config::as_text(*text);
  if (const config::Value* tokens = value.find("sequence"))
    model.sequence = config::as_int(*tokens, 1, INT64_C(1) << 40);
  if (const config::Value* count = value.find("parameters"))
    model.parameters = config::as_count(*count);
  if (const config::Value* constants = value.find("constants")) {
    if (!value.find("transformer")) constants->fail("only a transformer has constants here");
    check_constants(*constants);
  }
  read_shape(value, model);
  return model;
}

}  // namespace pipewright
