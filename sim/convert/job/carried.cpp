#include "convert/job/carried.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/emit.hpp"
#include "convert/job/step_counts.hpp"
#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::Value;

bool lies_in(std::string_view path, std::string_view section) {
  return path.starts_with(section) &&
         (path.size() == section.size() || path[section.size()] == '.');
}

/// Tells whether a value names a class of Python, or has one in it.
bool is_object(const Value& value) {
  if (value.find("_target_")) return true;
  return std::ranges::any_of(value.items, is_object) ||
         std::ranges::any_of(value.entries,
                             [](const config::Entry& entry) { return is_object(entry.value); });
}

/// Tells whether the program in Python leaves a part of a value open.
bool is_open(const Value& value) {
  if (value.find(unknown_key)) return true;
  return std::ranges::any_of(value.items, is_open) ||
         std::ranges::any_of(value.entries,
                             [](const config::Entry& entry) { return is_open(entry.value); });
}

bool goes(const Value& value, std::string_view path, const Carriage& carriage,
          const Source& source) {
  // What a preset says holds without being said. A word KEY=VALUE is where its value stands.
  const std::string file = value.mark.where().file;
  const bool is_own = file.empty() || file == source.file || file.find('=') != std::string::npos;
  const bool is_chosen = carriage.sections.empty() ||
                         std::ranges::any_of(carriage.sections, [&](std::string_view section) {
                           return lies_in(path, section);
                         });
  const bool is_class = path.ends_with("_target_") || is_object(value);
  return is_own && is_chosen && (carriage.objects || !is_class);
}

void add_paths(const Value& value, const std::string& path, std::vector<std::string>& paths) {
  if (!value.is_map() || value.entries.empty()) {
    paths.push_back(path);
    return;
  }
  for (const config::Entry& entry : value.entries)
    add_paths(entry.value, path.empty() ? entry.key : path + '.' + entry.key, paths);
}

}  // namespace

void set_at(Value& root, std::string_view path, const Value& value) {
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) {
    root.set(path, value);
    return;
  }
  Value* map = root.find(path.substr(0, dot));
  if (!map || !map->is_map()) map = &root.set(path.substr(0, dot), {});
  set_at(*map, path.substr(dot + 1), value);
}

std::string carried_comments(const Value& carried) {
  if (carried.is_null()) return {};
  std::string text;
  const std::string yaml = config::to_yaml(carried);
  std::string_view rest = yaml;
  while (!rest.empty()) text += fmt::format("{}{}\n", carried_mark, interop::take_line(rest));
  return text;
}

Value carried_in(std::string_view experiment, const std::string& file) {
  std::string yaml;
  int first = 0;
  for (int line = 1; experiment.starts_with('#'); ++line) {
    const std::string_view whole = interop::take_line(experiment);
    if (!whole.starts_with(carried_mark)) continue;
    if (first == 0) first = line;
    yaml += std::string(whole.substr(carried_mark.size())) + '\n';
  }
  if (yaml.empty()) return {};
  Value carried = config::parse(yaml, file);
  if (!carried.is_map())
    throw InputError({file, first, 1}, "what stands behind '# job|' is no map");
  return carried;
}

void carry(Import& import, const Settings& settings, const Carriage& carriage) {
  Value map, open;
  open.kind = Value::Kind::list;
  for (const std::string& path : import.idle) {
    const Value* value = settings.look(path);
    if (!value || value->is_null() || !goes(*value, path, carriage, settings.source())) continue;
    if (is_open(*value))
      open.items.push_back(config::scalar(path));
    else
      set_at(map, path, *value);
  }
  if (!open.items.empty()) map.set(left, std::move(open));
  if (!map.is_null()) import.carried.set(carriage.format, std::move(map));
}

void lay_under(Value& document, const Value& carried) {
  for (const config::Entry& entry : carried.entries) {
    if (entry.key == left || entry.key == step) continue;
    Value* said = document.find(entry.key);
    if (!said)
      document.set(entry.key, entry.value);
    else if (said->is_map() && entry.value.is_map())
      lay_under(*said, entry.value);
  }
}

std::vector<std::string> paths_of(const Value& value) {
  std::vector<std::string> paths;
  if (!value.is_null()) add_paths(value, {}, paths);
  return paths;
}

}  // namespace pipewright::job
