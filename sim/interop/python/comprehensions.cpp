// What makes lists, dictionaries and texts of others
// (docs.python.org/3/reference/expressions.html).
#include <algorithm>

#include "interop/python/builtins.hpp"
#include "interop/python/interpreter.hpp"

namespace pipewright::interop::python {
namespace {

/// What a slice says; what it leaves open is the whole.
struct Bounds {
  std::optional<int64_t> from{}, to{}, step{};

  /// Returns which of `size` items they are (slice.indices of Python).
  std::vector<size_t> places(int64_t size) const {
    const int64_t by = std::clamp(step.value_or(1), -size - 1, size + 1);
    const int64_t least = by > 0 ? 0 : -1, most = by > 0 ? size : size - 1;
    const auto bound = [&](const std::optional<int64_t>& said, int64_t otherwise) {
      return said ? std::clamp(*said < 0 ? *said + size : *said, least, most) : otherwise;
    };
    const int64_t end = bound(to, by > 0 ? most : least);
    std::vector<size_t> all;
    for (int64_t at = bound(from, by > 0 ? least : most); by > 0 ? at < end : at > end; at += by)
      all.push_back(static_cast<size_t>(at));
    return all;
  }
};

}  // namespace

/// Keys of a dictionary and letters of a text are what it is gone over by.
std::optional<std::vector<Value>> Interpreter::items_of(const Value& over) {
  if (over.list()) return over.list()->items;
  if (const std::string* text = over.as<std::string>()) {
    const bool is_ascii = std::ranges::all_of(*text, [](char c) { return c > 0; });
    if (!is_ascii) return std::nullopt;
    heap_.count(text->size());
    std::vector<Value> letters;
    for (const char letter : *text) letters.push_back({std::string(1, letter), over.place});
    return letters;
  }
  if (!dictionary_in(over)) return std::nullopt;
  const auto keys = method_of(over, "keys", {.name = "keys", .place = over.place}, heap_);
  if (!keys || !keys->list()) return std::nullopt;
  return keys->list()->items;
}

Value Interpreter::comprehension(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  Scope& own = scopes_.emplace_back();
  own.outer = scope.of_class.empty() ? &scope : scope.outer;
  own.module = scope.module;
  const auto first =
      static_cast<size_t>(std::ranges::find(expression.names, "for") - expression.names.begin());
  std::vector<Value> made;
  if (const auto why = comprehend(expression, first, own, made))
    return {Unknown{expression.written(), why->name}, place};
  heap_.count(made.size());
  if (expression.text != "{}") return {&heap_.list(std::move(made)), place};
  Object& object = heap_.object({}, place);
  for (size_t i = 0; i + 1 < made.size(); i += 2) {
    const auto key = key_of(made[i]);
    if (!key) return {why_unknown(expression, made[i]), place};
    heap_.set(object, *key, made[i + 1]);
  }
  return {&object, place};
}

/// Adds the elements that the clauses from `at` on make; returns why they are not known, if so.
std::optional<Unknown> Interpreter::comprehend(const Expression& expression, size_t at,
                                               Scope& scope, std::vector<Value>& made) {
  if (at == expression.parts.size()) {
    for (size_t i = 0; expression.names[i].empty(); ++i)
      made.push_back(value_of(expression.parts[i], scope));
    return std::nullopt;
  }
  const Value value = value_of(expression.parts[expression.names[at] == "if" ? at : at + 1], scope);
  if (expression.names[at] == "if") {
    const auto truth = truth_of(value);
    if (!truth) return why_unknown(expression, value);
    return *truth ? comprehend(expression, at + 1, scope, made) : std::nullopt;
  }
  const auto items = items_of(value);
  if (!items) return why_unknown(expression, value);
  for (const Value& item : *items) {
    assign(expression.parts[at], item, scope);
    if (auto why = comprehend(expression, at + 2, scope, made)) return why;
  }
  return std::nullopt;
}

/// Numbers that have a point are written in ways of their own.
Value Interpreter::formatted(const Expression& expression, Scope& scope) {
  std::string text = expression.names.front();
  for (size_t i = 0; i < expression.parts.size(); ++i) {
    const Value value = value_of(expression.parts[i], scope);
    const auto plain = value.as<double>() ? std::nullopt : plain_text(value);
    if (!plain) return {why_unknown(expression, value), place_of(expression, scope)};
    text += *plain + expression.names[i + 1];
    heap_.count(text.size() / 1000);
  }
  return {std::move(text), place_of(expression, scope)};
}

/// Returns base[from:to:step] of a list or a text.
Value Interpreter::slice(const Value& base, const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  const std::vector<Expression>& parts = expression.parts[1].parts;
  Bounds bounds;
  std::optional<int64_t>* const of_parts[] = {&bounds.from, &bounds.to, &bounds.step};
  for (size_t i = 0; i < parts.size(); ++i) {
    const Value value = value_of(parts[i], scope);
    if (value.is_none()) continue;
    if (!value.as<int64_t>()) return {why_unknown(expression, value), place};
    *of_parts[i] = *value.as<int64_t>();
  }
  const std::string* text = base.as<std::string>();
  if (!text && !base.list()) return {why_unknown(expression, base), place};
  if (bounds.step == 0) return {Unknown{expression.written(), {}}, place};
  const size_t size = text ? text->size() : base.list()->items.size();
  std::string letters;
  List& list = heap_.list();
  for (const size_t at : bounds.places(static_cast<int64_t>(size)))
    if (text)
      letters += (*text)[at];
    else
      list.items.push_back(base.list()->items[at]);
  heap_.count(list.items.size());
  if (text) return {std::move(letters), place};
  return {&list, place};
}

}  // namespace pipewright::interop::python
