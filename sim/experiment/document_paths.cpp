#include "experiment/document_paths.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

namespace fs = std::filesystem;

using config::Value;

/// What stands before the path of a schedule.
std::string_view kind_before(const Value& value) {
  constexpr std::string_view csv = "torch-csv:";
  return value.text.starts_with(csv) ? csv : "";
}

/// Returns the path that a value says, absolute; nothing where no file is there.
std::string path_of(const Value& value) {
  const fs::path said = value.text.substr(kind_before(value).size());
  if (!said.has_parent_path() && !said.has_extension()) return {};  // a name of the catalogue
  const std::string seen = config::path_seen_from(said.string(), value.mark);
  std::error_code ignored;
  if (!fs::exists(seen, ignored)) return {};
  return fs::absolute(seen).lexically_normal().string();
}

void make_absolute(Value& value) {
  const std::string path = path_of(value);
  if (!path.empty()) value.text = fmt::format("{}{}", kind_before(value), path);
}

/// Returns the scalar at `outer`.`inner`.`key`, or null.
Value* scalar_at(Value& document, const char* outer, const char* inner, const char* key) {
  Value* map = document.find(outer);
  Value* below = map && map->is_map() ? map->find(inner) : nullptr;
  Value* value = below && below->is_map() ? below->find(key) : nullptr;
  return value && value->is_scalar() ? value : nullptr;
}

/// Returns the values of a document that may be paths.
std::vector<Value*> paths_in(Value& document) {
  std::vector<Value*> paths;
  if (Value* measured = scalar_at(document, "cluster", "fabric", "measured"))
    paths.push_back(measured);
  if (Value* lengths = scalar_at(document, "batch", "lengths", "file")) paths.push_back(lengths);
  for (const char* key :
       {"model", "cluster", "profile", "anchor", "schedule", "trace", "traffic"}) {
    Value* value = document.find(key);
    if (value && value->is_scalar()) paths.push_back(value);
    if (!value || !value->is_map()) continue;
    for (config::Entry& entry : value->entries)
      if (entry.value.is_scalar()) paths.push_back(&entry.value);
  }
  return paths;
}

}  // namespace

void make_paths_absolute(Value& document) {
  for (Value* path : paths_in(document)) make_absolute(*path);
}

std::vector<std::string> files_named_by(const Value& document) {
  Value copy = document;
  std::vector<std::string> files;
  for (const Value* value : paths_in(copy)) {
    std::error_code ignored;
    fs::path path = path_of(*value);
    if (fs::is_directory(path, ignored)) path /= "config.json";
    if (fs::is_regular_file(path, ignored)) files.push_back(path.string());
  }
  return files;
}

}  // namespace pipewright
