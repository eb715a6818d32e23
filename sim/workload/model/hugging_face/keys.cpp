#include "workload/model/hugging_face/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::hugging_face {
namespace {

constexpr int64_t most = INT64_C(1) << 40;

/// The one number of a list with a number for each layer.
const Value& same_everywhere(const Value& value, std::string_view name) {
  if (!value.is_list() || value.items.empty()) return value;
  const Value& first = value.items.front();
  for (const Value& item : value.items)
    if (item.text != first.text)
      item.fail(
          fmt::format("'{}' differs from layer to layer, which is not modelled: all must be "
                      "the first's {}",
                      name, first.text));
  return first;
}

/// "32" for "32.0", and itself for all else.
std::string_view whole(std::string_view text) {
  const size_t point = text.find('.');
  const bool has_digits = point != 0 && point != std::string_view::npos && point + 1 < text.size();
  const bool is_whole = has_digits && text.find_first_not_of("0123456789") == point &&
                        text.find_first_not_of('0', point + 1) == std::string_view::npos;
  return is_whole ? text.substr(0, point) : text;
}

/// Throws InputError for a number that is written as a text, which the library takes for none.
const Value& no_text(const Value& value, std::string_view name) {
  const bool is_number = value.text.find_first_not_of("0123456789.") == std::string::npos;
  if (value.quoted && is_number && !value.text.empty())
    value.fail(
        fmt::format("'{0}' must be a number, as {1}, not the text \"{1}\"", name, value.text));
  return value;
}

}  // namespace

const Value* find_any(const Value& value, const Name& name) {
  for (const std::string_view key : name.names)
    if (const Value* found = value.find(key); found && !found->is_null()) return found;
  return nullptr;
}

const Value* find_given(const Value& value, std::string_view key) {
  return find_any(value, {key, {key}});
}

Value translate(const Value& value, std::span<const Name> names, Value into) {
  into.mark = value.mark;
  for (const Name& name : names)
    if (const Value* found = find_any(value, name))
      into.set(name.key, no_text(same_everywhere(*found, name.names[0]), name.names[0]));
  return into;
}

void copy(const Value& value, std::string_view name, Value& into, std::string_view key) {
  if (const Value* found = find_given(value, name))
    into.set(key, no_text(same_everywhere(*found, name), name));
}

bool says(const Value& value, std::string_view key, bool expected) {
  const Value* found = find_given(value, key);
  return found && config::as_bool(*found) == expected;
}

int64_t count_of(const Value& value, std::string_view key, int64_t otherwise) {
  const Value* found = find_given(value, key);
  return found ? config::as_int(no_text(same_everywhere(*found, key), key), 0, most) : otherwise;
}

void refuse(const Value& value, std::string_view key, std::string_view why) {
  const Value* found = find_given(value, key);
  const bool none = !found || (found->is_list() && found->items.empty()) ||
                    (found->is_scalar() && (found->text == "0" || found->text == "false"));
  if (!none) found->fail(fmt::format("{} is not modelled: {}", key, why));
}

void set_number(Value& into, std::string_view key, int64_t number) {
  into.set(key, config::number(number, into.mark));
}

void set(Value& into, std::string_view key, std::string_view yaml) {
  Value value = config::parse(yaml, "built-in defaults");
  value.mark = into.mark;
  into.set(key, std::move(value));
}

Value list_of(std::span<const std::string_view> words) {
  Value list;
  list.kind = Value::Kind::list;
  for (const std::string_view word : words) list.items.push_back(config::scalar(word));
  return list;
}

void erase(Value& map, std::string_view key) {
  std::erase_if(map.entries, [&](const config::Entry& entry) { return entry.key == key; });
}

Value with_whole_numbers(Value value) {
  if (value.is_scalar() && !value.quoted) value.text = std::string(whole(value.text));
  for (Value& item : value.items) item = with_whole_numbers(std::move(item));
  for (config::Entry& entry : value.entries)
    entry.value = with_whole_numbers(std::move(entry.value));
  return value;
}

}  // namespace pipewright::hugging_face
