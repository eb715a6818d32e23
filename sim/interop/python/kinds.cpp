// Types of values (docs.python.org/3/library/functions.html, isinstance).
#include <algorithm>

#include "interop/python/builtins.hpp"

namespace pipewright::interop::python {
namespace {

constexpr std::string_view own_types[] = {"bool", "int",  "float", "str",
                                          "list", "dict", "tuple", "set"};
/// Modules whose types plain values may be of.
constexpr std::string_view abstract_modules[] = {"typing.", "collections.", "numbers.", "enum."};

std::optional<bool> is_of_own_type(const Value& value, std::string_view name) {
  if (value.as<Unknown>() || value.as<Symbol>() || value.closure()) return std::nullopt;
  const Object* object = value.object();
  if (object && !object->is_sure()) return std::nullopt;
  if (name == "bool") return value.as<bool>() != nullptr;
  if (name == "int") return value.as<int64_t>() || value.as<bool>();
  if (name == "float") return value.as<double>() != nullptr;
  if (name == "str") return value.as<std::string>() != nullptr;
  if (name == "dict") return object && object->is_dictionary();
  // A list, a tuple and a set are alike here.
  return value.list() ? std::nullopt : std::optional(false);
}

std::optional<bool> is_of_class(const Value& value, std::string_view name) {
  const bool is_plain = value.is_none() || value.as<bool>() || value.as<int64_t>() ||
                        value.as<double>() || value.as<std::string>();
  const bool may_be = std::ranges::any_of(
      abstract_modules, [&](std::string_view begin) { return name.starts_with(begin); });
  if (is_plain && !may_be) return false;
  if (const Object* object = value.object(); object && object->type == name) return true;
  return std::nullopt;
}

bool has_kind(const List& kinds, std::string_view type) {
  return std::ranges::any_of(kinds.items, [&](const Value& kind) {
    return kind.as<Symbol>() && kind.as<Symbol>()->name == type;
  });
}

}  // namespace

bool is_type(std::string_view name) {
  return std::ranges::find(own_types, name) != std::end(own_types);
}

std::optional<bool> is_instance(const Value& value, const Value& kind) {
  if (const auto* symbol = kind.as<Symbol>())
    return is_type(symbol->name) ? is_of_own_type(value, symbol->name)
                                 : is_of_class(value, symbol->name);
  if (!kind.list()) return std::nullopt;
  if (value.list() && has_kind(*kind.list(), "list") && has_kind(*kind.list(), "tuple"))
    return true;
  std::optional<bool> any = false;
  for (const Value& one : kind.list()->items) {
    const auto is = is_instance(value, one);
    if (is == true) return true;
    if (!is) any.reset();
  }
  return any;
}

}  // namespace pipewright::interop::python
