#include "interop/python/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::interop::python {

Object* Value::object() const {
  Object* const* found = std::get_if<Object*>(&is);
  return found && !(*found)->unknown ? *found : nullptr;
}

List* Value::list() const {
  List* const* found = std::get_if<List*>(&is);
  return found && !(*found)->unknown ? *found : nullptr;
}

const Unknown* Value::unknown_content() const {
  if (List* const* list = std::get_if<List*>(&is))
    return (*list)->unknown ? &*(*list)->unknown : nullptr;
  if (Object* const* object = std::get_if<Object*>(&is))
    return (*object)->unknown ? &*(*object)->unknown : nullptr;
  return nullptr;
}

void Value::forget(const Unknown& why) const {
  if (List* inner = list()) inner->unknown = why;
  if (Object* inner = object(); inner && inner->is_dictionary()) inner->unknown = why;
}

const Closure* Value::closure() const {
  const Closure* const* found = std::get_if<const Closure*>(&is);
  return found ? *found : nullptr;
}

Value* Object::find(std::string_view name) {
  const auto found =
      std::ranges::find_if(fields, [&](const auto& one) { return one.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

const Value* Object::find(std::string_view name) const {
  return const_cast<Object*>(this)->find(name);
}

Value& Object::set(std::string_view name, Value value) {
  if (Value* there = find(name)) return *there = std::move(value);
  return fields.emplace_back(std::string(name), std::move(value)).second;
}

bool Object::is_nothing() const {
  return is_implied && changed_by.empty() && std::ranges::all_of(fields, [](const auto& one) {
           const Object* inner = one.second.object();
           return inner && inner->is_nothing();
         });
}

bool Object::is_sure() const {
  const std::string_view last = last_name(type);
  return !is_implied &&
         (is_made || type.empty() || (!last.empty() && last[0] >= 'A' && last[0] <= 'Z'));
}

std::optional<bool> truth_of(const Value& value) {
  if (value.is_none()) return false;
  if (const bool* truth = value.as<bool>()) return *truth;
  if (const int64_t* number = value.as<int64_t>()) return *number != 0;
  if (const double* number = value.as<double>()) return *number != 0;
  if (const std::string* text = value.as<std::string>()) return !text->empty();
  if (const List* list = value.list()) return !list->items.empty();
  if (const Object* object = value.object()) {
    if (!object->is_sure()) return std::nullopt;
    return !object->type.empty() || !object->fields.empty();
  }
  if (value.closure()) return true;
  return std::nullopt;
}

bool may_be_known(const Value& value) {
  const Unknown* unknown = value.as<Unknown>();
  return value.object() || value.list() || (unknown && unknown->may_be_known);
}

std::optional<std::string> plain_text(const Value& value) {
  if (value.is_none()) return "None";
  if (const bool* truth = value.as<bool>()) return *truth ? "True" : "False";
  if (const int64_t* number = value.as<int64_t>()) return std::to_string(*number);
  if (const double* number = value.as<double>()) return fmt::format("{}", *number);
  if (const std::string* text = value.as<std::string>()) return *text;
  return std::nullopt;
}

std::optional<std::string> key_of(const Value& key) {
  // 1, 1.0 and True are one key.
  if (const bool* truth = key.as<bool>()) return *truth ? "1" : "0";
  if (!key.list()) return plain_text(key);
  // A tuple of tuples is no key that is known here.
  std::string text;
  for (const Value& item : key.list()->items) {
    const auto part = item.list() ? std::nullopt : key_of(item);
    if (!part) return std::nullopt;
    text += (text.empty() ? "" : ", ") + *part;
  }
  return '(' + text + ')';
}

std::string_view last_name(std::string_view dotted) {
  const size_t dot = dotted.find_last_of('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

}  // namespace pipewright::interop::python
