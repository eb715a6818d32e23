#include "interop/python/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::interop::python {

Object* Value::object() const {
  Object* const* found = std::get_if<Object*>(&is);
  return found ? *found : nullptr;
}

List* Value::list() const {
  List* const* found = std::get_if<List*>(&is);
  return found ? *found : nullptr;
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

std::optional<bool> truth_of(const Value& value) {
  if (value.is_none()) return false;
  if (const bool* truth = value.as<bool>()) return *truth;
  if (const int64_t* number = value.as<int64_t>()) return *number != 0;
  if (const double* number = value.as<double>()) return *number != 0;
  if (const std::string* text = value.as<std::string>()) return !text->empty();
  if (const List* list = value.list()) return !list->items.empty();
  if (const Object* object = value.object()) {
    if (object->is_implied) return std::nullopt;
    return !object->type.empty() || !object->fields.empty();
  }
  if (value.closure()) return true;
  return std::nullopt;
}

std::optional<std::string> plain_text(const Value& value) {
  if (value.is_none()) return "None";
  if (const bool* truth = value.as<bool>()) return *truth ? "True" : "False";
  if (const int64_t* number = value.as<int64_t>()) return std::to_string(*number);
  if (const double* number = value.as<double>()) return fmt::format("{}", *number);
  if (const std::string* text = value.as<std::string>()) return *text;
  return std::nullopt;
}

std::string_view last_name(std::string_view dotted) {
  const size_t dot = dotted.find_last_of('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

}  // namespace pipewright::interop::python
