#include "experiment/kind_keys.hpp"

#include <fmt/format.h>

namespace pipewright {
namespace {

using config::Entry;
using config::Value;

void add(const Value& map, ExperimentKind kind, const std::string& above,
         std::vector<PlacedKey>& found) {
  for (const Entry& entry : map.entries) {
    const std::string path = above + entry.key;
    if (!has_key(kind, path))
      found.push_back({path, entry.mark.where()});
    else if (entry.value.is_map())
      add(entry.value, kind, path + '.', found);
  }
}

void erase(Value& map, ExperimentKind kind, const std::string& above) {
  std::erase_if(map.entries, [&](const Entry& entry) { return !has_key(kind, above + entry.key); });
  for (Entry& entry : map.entries)
    if (entry.value.is_map()) erase(entry.value, kind, above + entry.key + '.');
}

}  // namespace

std::vector<PlacedKey> keys_of_other_kinds(const Value& document, ExperimentKind kind) {
  std::vector<PlacedKey> found;
  add(document, kind, "", found);
  return found;
}

std::vector<std::string> keys_of_other_kinds(const Experiment& experiment) {
  std::vector<std::string> paths;
  for (PlacedKey& key : keys_of_other_kinds(experiment.document, experiment.kind()))
    paths.push_back(std::move(key.path));
  return paths;
}

void erase_keys_of_other_kinds(Value& document, ExperimentKind kind) { erase(document, kind, ""); }

void refuse_keys_of_other_kinds(const Value& document, ExperimentKind kind, std::string_view key) {
  for (const PlacedKey& other : keys_of_other_kinds(document, kind))
    throw InputError(other.where, fmt::format("'{}' means nothing beside '{}'", other.path, key));
}

}  // namespace pipewright
