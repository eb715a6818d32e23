#include "cli/schema_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/markdown_cell.hpp"
#include "config/embedded.hpp"
#include "config/value.hpp"

namespace pipewright::cli {
namespace {

/// A file of schemas, and the kind of `pipewright schema` that has its keys.
struct SchemaFile {
  std::string_view file, kind;
};
constexpr SchemaFile files[] = {{"hardware", "cluster"}, {"model", "model"}};

/// Where the keys of a definition stand in an experiment.
struct Place {
  std::string_view definition, path;
};
constexpr Place places[] = {{"cluster", "cluster"},
                            {"node", "cluster.node"},
                            {"device", "cluster.node.device"},
                            {"host", "cluster.node.host"},
                            {"interconnect", "cluster.node.interconnect"},
                            {"star", "cluster.fabric"},
                            {"fat_tree", "cluster.fabric"},
                            {"torus", "cluster.fabric"},
                            {"dragonfly", "cluster.fabric"},
                            {"graph_fabric", "cluster.fabric"},
                            {"link", "cluster.fabric.link"},
                            {"transformer_keys", "model.transformer"},
                            {"experts", "model.transformer.experts"},
                            {"latent", "model.transformer.latent"},
                            {"cnn", "model.cnn"}};

/// "cluster.node.price_per_hour", or "price_per_hour in 'odd_part'" where no place is known.
std::string where(std::string_view definition, std::string_view name) {
  const auto place = std::ranges::find(places, definition, &Place::definition);
  if (place != std::end(places)) return fmt::format("{}.{}", place->path, name);
  std::string words(definition);
  std::ranges::replace(words, '_', ' ');
  return fmt::format("{}, of '{}'", name, words);
}

/// Returns the part of a schema that describes a key called `name`; nullptr where none does.
const config::Value* described(const config::Value& part, std::string_view name) {
  if (const config::Value* properties = part.is_map() ? part.find("properties") : nullptr)
    if (const config::Value* key = properties->is_map() ? properties->find(name) : nullptr)
      if (key->is_map() && key->find("description")) return key;
  for (const config::Entry& entry : part.entries)
    if (const config::Value* found = described(entry.value, name)) return found;
  for (const config::Value& item : part.items)
    if (const config::Value* found = described(item, name)) return found;
  return nullptr;
}

/// Returns the description with the unit and the default that the schema says.
std::string text_of(const config::Value& key) {
  std::string text = key.find("description")->text;
  if (const config::Value* unit = key.find("x-unit"))
    text += fmt::format("\n  unit     {}", unit->text);
  for (const char* word : {"default", "x-default"})
    if (const config::Value* value = key.find(word); value && !value->text.empty())
      text += fmt::format("\n  default  {}", value->text);
  return text;
}

config::Value schema_of(std::string_view file) {
  for (const config::EmbeddedFile& schema : config::embedded_files())
    if (schema.kind == "schemas" && schema.name == file)
      return config::parse(schema.text, schema.name);
  return {};
}

/// Returns the keys of a part of a cluster or a model, a line each.
std::string lines_of(const config::Entry& definition) {
  const config::Value* properties = definition.value.find("properties");
  if (!properties || !properties->is_map()) return {};
  std::string text;
  for (const config::Entry& key : properties->entries) {
    const config::Value* doc = key.value.is_map() ? key.value.find("description") : nullptr;
    text += fmt::format("  {:<32}  {}\n", where(definition.key, key.key),
                        doc ? std::string_view(doc->text).substr(0, doc->text.find(". ")) : "");
  }
  return text;
}

std::string_view last_of(std::string_view path) { return path.substr(path.find_last_of('.') + 1); }

/// Returns the part of `schema` that describes the key at `path`: that of the definition which
/// stands there, else any of that name. nullptr where no key holds it.
const config::Value* described_at(const config::Value& schema, std::string_view path) {
  for (const config::Entry& definition : schema.find("definitions")->entries)
    if (where(definition.key, last_of(path)) == path)
      if (const config::Value* key = described(definition.value, last_of(path))) return key;
  const std::string_view holder = path.substr(0, path.find_last_of('.'));
  const bool is_place = std::ranges::find(places, holder, &Place::path) != std::end(places);
  const bool is_known = is_place || holder == "model" || described(schema, last_of(holder));
  return is_known ? described(schema, last_of(path)) : nullptr;
}

std::string word_of(const config::Value& key, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (const config::Value* value = key.find(word); value && value->is_scalar())
      return markdown_cell(value->text);
  return {};
}

/// Returns a table of the keys of a part that are described; empty where it has none.
std::string table_of(std::string_view kind, const config::Entry& definition) {
  const config::Value* properties =
      definition.value.is_map() ? definition.value.find("properties") : nullptr;
  if (!properties || !properties->is_map()) return {};
  const auto place = std::ranges::find(places, definition.key, &Place::definition);
  const std::string path = place != std::end(places) ? fmt::format("{}.", place->path) : "";
  std::string rows;
  for (const config::Entry& key : properties->entries)
    if (key.value.is_map() && key.value.find("description"))
      rows += fmt::format(
          "| `{}{}` | {} | {} | {} |\n", path, key.key, word_of(key.value, {"x-unit"}),
          word_of(key.value, {"default", "x-default"}), word_of(key.value, {"description"}));
  if (rows.empty()) return {};
  std::string words(definition.key);
  std::ranges::replace(words, '_', ' ');
  return fmt::format("\n### {}: {}\n\n| key | unit | default | meaning |\n|---|---|---|---|\n{}",
                     kind, words, rows);
}

std::string all_keys_of(std::string_view kind) {
  return fmt::format("\n'pipewright schema {}' describes all keys of a {}.\n", kind, kind);
}

}  // namespace

std::string in_schemas(const std::string& path) {
  for (const auto& [file, kind] : files) {
    if (!path.starts_with(std::string(kind) + '.')) continue;
    const config::Value schema = schema_of(file);
    if (const auto* key = described_at(schema, path))
      return fmt::format("{}\n  {}\n{}", path, text_of(*key), all_keys_of(kind));
  }
  return {};
}

std::string named_in_schemas(const std::string& name) {
  std::string text, part = name;
  std::ranges::replace(part, '-', '_');
  for (const auto& [file, kind] : files) {
    const config::Value schema = schema_of(file);
    std::string found;
    for (const config::Entry& definition : schema.find("definitions")->entries) {
      const std::string place = where(definition.key, last_of(name));
      const bool is_called_so = last_of(name) == name || place.ends_with('.' + name);
      if (const auto* key = is_called_so ? described(definition.value, last_of(name)) : nullptr)
        found += fmt::format("{}\n  {}\n", place, text_of(*key));
      if (definition.key == part) found += lines_of(definition);
    }
    if (!found.empty()) text += found + all_keys_of(kind);
  }
  return text;
}

std::string schema_keys_markdown() {
  std::string text =
      "\n## Clusters and models that are written out\n\n"
      "`pipewright schema cluster` and `pipewright schema model` say which values each key "
      "takes.\n";
  for (const auto& [file, kind] : files) {
    const config::Value schema = schema_of(file);
    for (const config::Entry& definition : schema.find("definitions")->entries)
      text += table_of(kind, definition);
  }
  return text;
}

}  // namespace pipewright::cli
