#include "convert/job/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::job {
namespace {

using config::Value;

const Value* at_path(const Value& root, std::string_view path) {
  const Value* value = &root;
  while (true) {
    if (!value->is_map()) return nullptr;
    const size_t dot = path.find('.');
    value = value->find(path.substr(0, dot));
    if (!value || dot == std::string_view::npos) return value;
    path.remove_prefix(dot + 1);
  }
}

bool fits(const Key& key, std::string_view path) {
  if (!key.path.ends_with('*')) return key.path == path;
  return path.starts_with(key.path.substr(0, key.path.size() - 1));
}

bool is_harmless(std::string_view values, std::string_view value) {
  while (!values.empty()) {
    const size_t end = std::min(values.find('|'), values.size());
    if (values.substr(0, end) == value) return true;
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return false;
}

}  // namespace

std::string written(const Value& value) {
  if (value.is_scalar()) return value.text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + written(item);
  for (const config::Entry& entry : value.entries)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", entry.key, written(entry.value));
  return value.is_list() ? "[" + text + "]" : value.is_map() ? "{" + text + "}" : "null";
}

Settings::Settings(Value root, const Source& source, Import& import)
    : root_(std::move(root)), source_(source), import_(import) {
  if (!root_.is_map()) throw InputError({source.file, 1, 1}, "this is no map of settings");
}

const Value* Settings::find(std::string_view path) {
  const Value* value = at_path(root_, path);
  if (!value) return nullptr;
  used_.emplace(path);
  return value->is_null() ? nullptr : value;
}

const Value* Settings::find(Names paths) {
  const Value* found = nullptr;
  for (const std::string& path : paths)
    if (const Value* value = find(std::string_view(path)); value && !found) found = value;
  return found;
}

int64_t Settings::integer(Names paths, int64_t otherwise, int64_t least) {
  const Value* value = find(paths);
  if (!value) return otherwise;
  // Python and TOML know digits in groups.
  Value plain = *value;
  std::erase(plain.text, '_');
  return config::as_int(plain, least, INT64_C(1'000'000'000'000));
}

bool Settings::truth(Names paths, bool otherwise) {
  const Value* value = find(paths);
  return value ? config::as_bool(*value) : otherwise;
}

std::string Settings::text(Names paths, std::string_view otherwise) {
  const Value* value = find(paths);
  if (!value) return std::string(otherwise);
  if (!value->is_scalar()) value->fail("must be a text");
  return value->text;
}

bool Settings::has(std::string_view path) const { return at_path(root_, path) != nullptr; }

Where Settings::where(std::string_view path) const {
  const Value* value = at_path(root_, path);
  return value ? value->mark.where() : Where{source_.file, 1, 1};
}

void Settings::refuse(std::string_view path, const std::string& what) {
  job::refuse(source_, import_, where(path), fmt::format("{}: {}", path, what));
}

void Settings::review(std::span<const Key> keys, std::string_view framework) {
  review_map(root_, "", keys, framework);
}

void Settings::review_map(const Value& map, const std::string& prefix, std::span<const Key> keys,
                          std::string_view framework) {
  for (const config::Entry& entry : map.entries) {
    const std::string path = prefix + entry.key;
    if (used_.contains(path)) continue;
    const bool is_section =
        entry.value.is_map() &&
        std::none_of(keys.begin(), keys.end(), [&](const Key& key) { return key.path == path; });
    if (is_section)
      review_map(entry.value, path + '.', keys, framework);
    else
      review_one(entry.value, path, keys, framework);
  }
}

void Settings::review_one(const Value& value, const std::string& path, std::span<const Key> keys,
                          std::string_view framework) {
  const std::string text = fmt::format("{}: {}", path, written(value));
  const auto key = std::find_if(keys.begin(), keys.end(),
                                [&](const Key& candidate) { return fits(candidate, path); });
  const bool is_nothing = value.is_null() || (value.is_list() && value.items.empty());
  if (key == keys.end()) {
    if (is_nothing)
      import_.unused.push_back(text);
    else
      job::refuse(source_, import_, value.mark.where(),
                  fmt::format("'{}' is no key of {} that is known", path, framework));
  } else if (key->effect == Effect::slight && !is_harmless(key->unless, written(value))) {
    import_.slight.push_back(fmt::format("{}: {}", text, key->note));
  } else if (key->effect == Effect::refused && !is_nothing &&
             !is_harmless(key->unless, written(value))) {
    job::refuse(source_, import_, value.mark.where(),
                fmt::format("{} cannot be said: {}", text, key->note));
  } else {
    import_.unused.push_back(text);
  }
}

}  // namespace pipewright::job
