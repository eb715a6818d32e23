#include "experiment/document_paths.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

namespace fs = std::filesystem;

using config::Value;

void make_absolute(Value& value) {
  constexpr std::string_view csv = "torch-csv:";
  const std::string_view kind = value.text.starts_with(csv) ? csv : "";
  const fs::path said = value.text.substr(kind.size());
  if (!said.has_parent_path() && !said.has_extension()) return;  // a name of the catalogue
  const std::string seen = config::path_seen_from(said.string(), value.mark);
  std::error_code ignored;
  if (!fs::exists(seen, ignored)) return;
  value.text = fmt::format("{}{}", kind, fs::absolute(seen).lexically_normal().string());
}

/// Returns the scalar at `outer`.`inner`.`key`, or null.
Value* scalar_at(Value& document, const char* outer, const char* inner, const char* key) {
  Value* map = document.find(outer);
  Value* below = map && map->is_map() ? map->find(inner) : nullptr;
  Value* value = below && below->is_map() ? below->find(key) : nullptr;
  return value && value->is_scalar() ? value : nullptr;
}

}  // namespace

void make_paths_absolute(Value& document) {
  if (Value* measured = scalar_at(document, "cluster", "fabric", "measured"))
    make_absolute(*measured);
  if (Value* lengths = scalar_at(document, "batch", "lengths", "file")) make_absolute(*lengths);
  for (const char* key :
       {"model", "cluster", "profile", "anchor", "schedule", "trace", "traffic"}) {
    Value* value = document.find(key);
    if (value && value->is_scalar()) make_absolute(*value);
    if (!value || !value->is_map()) continue;
    for (config::Entry& entry : value->entries)
      if (entry.value.is_scalar()) make_absolute(entry.value);
  }
}

}  // namespace pipewright
