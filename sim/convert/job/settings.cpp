#include "convert/job/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::Value;

bool fits(const Key& key, std::string_view path) {
  if (!key.path.ends_with('*')) return key.path == path;
  return path.starts_with(key.path.substr(0, key.path.size() - 1));
}

/// Tells whether one of `values` is `value`; Python's truths may have a capital.
bool is_harmless(std::string_view values, std::string_view value) {
  const std::string truth = value == "True" || value == "False" ? interop::lower_case(value) : "";
  while (!values.empty()) {
    const size_t end = std::min(values.find('|'), values.size());
    if (values.substr(0, end) == value || values.substr(0, end) == truth) return true;
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return false;
}

bool is_unknown(const Value& value) { return value.is_map() && value.find(unknown_key); }

}  // namespace

void check_known(const Value& value) {
  if (value.is_map())
    if (const Value* reason = value.find(unknown_key)) value.fail(reason->text);
  for (const Value& item : value.items) check_known(item);
  for (const config::Entry& entry : value.entries) check_known(entry.value);
}

const Value* value_at(const Value& root, std::string_view path) {
  const Value* value = &root;
  while (value && !path.empty()) {
    if (!value->is_map()) return nullptr;
    const size_t dot = std::min(path.find('.'), path.size());
    value = value->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

bool python_truth(const Value& value) {
  const std::string text = interop::lower_case(value.text);
  if (value.is_scalar() && (text == "true" || text == "yes" || text == "on" || text == "1"))
    return true;
  if (value.is_scalar() && (text == "false" || text == "no" || text == "off" || text == "0"))
    return false;
  return config::as_bool(value);
}

std::string written(const Value& value) {
  if (value.is_scalar()) return value.text;
  if (is_unknown(value)) return value.find(unknown_key)->text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + written(item);
  for (const config::Entry& entry : value.entries)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", entry.key, written(entry.value));
  return value.is_list() ? "[" + text + "]" : value.is_map() ? "{" + text + "}" : "null";
}

const Key* find_key(std::span<const Key> keys, std::string_view path) {
  const auto key = std::find_if(keys.begin(), keys.end(),
                                [&](const Key& candidate) { return fits(candidate, path); });
  return key == keys.end() ? nullptr : &*key;
}

Settings::Settings(Value root, const Source& source, Import& import)
    : root_(std::move(root)), source_(source), import_(import) {
  if (!root_.is_map()) throw InputError({source.file, 1, 1}, "this is no map of settings");
}

const Value* Settings::find(std::string_view path) {
  const Value* value = value_at(root_, path);
  if (!value) return nullptr;
  used_.emplace(path);
  check_known(*value);
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
  return value ? python_truth(*value) : otherwise;
}

std::string Settings::text(Names paths, std::string_view otherwise) {
  const Value* value = find(paths);
  if (!value) return std::string(otherwise);
  if (!value->is_scalar()) value->fail("must be a text");
  return value->text;
}

const Value* Settings::look(std::string_view path) const { return value_at(root_, path); }

bool Settings::has(std::string_view path) const { return look(path) != nullptr; }

Where Settings::where(std::string_view path) const {
  const Value* value = value_at(root_, path);
  return value && !path.empty() ? value->mark.where() : Where{source_.file, 1, 1};
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
        entry.value.is_map() && !is_unknown(entry.value) &&
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
  const Key* key = find_key(keys, path);
  const bool is_empty = value.is_list() ? value.items.empty() : value.text.empty();
  const bool is_nothing = value.is_null() || (is_empty && !value.is_map());
  if (!key) {
    if (is_nothing)
      import_.unused.push_back(text);
    else
      job::refuse(source_, import_, value.mark.where(),
                  is_unknown(value)
                      ? text
                      : fmt::format("'{}' is no key of {} that is known", path, framework));
  } else if (key->effect == Effect::slight && !is_harmless(key->unless, written(value))) {
    import_.slight.push_back(fmt::format("{}: {}", text, key->note));
    if (!key->of_plan) import_.idle.push_back(path);
  } else if (key->effect == Effect::refused && !is_nothing &&
             !is_harmless(key->unless, written(value))) {
    job::refuse(source_, import_, value.mark.where(),
                fmt::format("{} cannot be said: {}", text, key->note));
  } else {
    import_.unused.push_back(text);
    if (key->effect == Effect::nothing && !key->of_plan) import_.idle.push_back(path);
  }
}

}  // namespace pipewright::job
