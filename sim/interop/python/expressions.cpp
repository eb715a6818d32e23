#include <charconv>

#include "interop/python/interpreter.hpp"
#include "interop/python/operators.hpp"
#include "interop/python/reader.hpp"
#include "interop/words.hpp"

namespace pipewright::interop::python {
namespace {

std::optional<int64_t> whole_number(std::string_view digits) {
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = digits[1];
    base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 8;
    if (letter >= '0' && letter <= '9') return std::nullopt;
    digits.remove_prefix(2);
  }
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

Place Interpreter::place_of(const Expression& expression, const Scope& scope) const {
  return {scope.module->file, expression.line, expression.column};
}

Value Interpreter::value_of(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  step(place);
  constexpr int deepest = 300;
  if (depth_ > deepest) throw InputError(place.where(), "calls are nested too deeply");
  ++depth_;
  Value value;
  switch (expression.kind) {
    case Expression::Kind::none:
    case Expression::Kind::truth:
    case Expression::Kind::integer:
    case Expression::Kind::real:
    case Expression::Kind::text:
    case Expression::Kind::opaque:
      value = literal(expression, scope);
      break;
    case Expression::Kind::name:
      value = name(expression, scope);
      break;
    case Expression::Kind::attribute:
      value = attribute(expression, scope);
      break;
    case Expression::Kind::call:
      value = call(expression, scope);
      break;
    case Expression::Kind::subscript:
      value = subscript(expression, scope);
      break;
    case Expression::Kind::dictionary:
      value = dictionary(expression, scope);
      break;
    case Expression::Kind::binary:
      value = binary(expression, scope);
      break;
    case Expression::Kind::list: {
      List& list = heap_.list();
      for (const Expression& part : expression.parts) list.items.push_back(value_of(part, scope));
      value = {&list, place};
      break;
    }
    case Expression::Kind::unary: {
      const Value inner = value_of(expression.parts[0], scope);
      const auto result = operated(expression.text, inner);
      const Unknown* unknown = inner.as<Unknown>();
      value = result ? *result
                     : Value{Unknown{expression.written, unknown ? unknown->name : ""}, place};
      break;
    }
    case Expression::Kind::conditional: {
      const Value condition = value_of(expression.parts[0], scope);
      const Unknown* unknown = condition.as<Unknown>();
      if (const auto truth = truth_of(condition))
        value = value_of(expression.parts[*truth ? 1 : 2], scope);
      else
        value = {Unknown{expression.written, unknown ? unknown->name : ""}, place};
    }
  }
  --depth_;
  value.place = place;
  return value;
}

Value Interpreter::literal(const Expression& expression, const Scope& scope) const {
  const Place place = place_of(expression, scope);
  if (expression.kind == Expression::Kind::none) return {{}, place};
  if (expression.kind == Expression::Kind::truth) return {expression.text == "True", place};
  if (expression.kind == Expression::Kind::text) return {expression.text, place};
  if (expression.kind == Expression::Kind::integer)
    if (const auto number = whole_number(expression.text)) return {*number, place};
  if (expression.kind == Expression::Kind::real)
    if (const auto number = number_of<double>(expression.text)) return {*number, place};
  return {Unknown{expression.written}, place};
}

/// Returns what the user gives for `name`, or `otherwise`.
Value Interpreter::given_or_unknown(const std::string& name, const Value& otherwise) {
  asked_.push_back(name);
  const auto given = surroundings_.given.find(name);
  if (given == surroundings_.given.end()) return otherwise;
  const std::string file = "--define " + name;
  const Expression expression = read_expression(given->second, file);
  Module module;
  module.globals.module = &module;
  const Value value = literal(expression, module.globals);
  return value.as<Unknown>() ? Value{given->second, otherwise.place} : value;
}

Value Interpreter::name(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  if (expression.text == "__name__") return {std::string("__main__"), place};
  if (const Value* value = scope.find(expression.text)) {
    if (!value->as<Symbol>()) return *value;
    const Value known = resolved(*value);
    // A function is called by its name first (call_symbol).
    return known.closure() ? *value : known;
  }
  return given_or_unknown(expression.text, {Unknown{expression.written, expression.text}, place});
}

Value Interpreter::attribute(const Expression& expression, Scope& scope) {
  return attribute_of(value_of(expression.parts[0], scope), expression);
}

Value Interpreter::attribute_of(const Value& base, const Expression& expression) {
  const std::string& name = expression.text;
  if (const Symbol* symbol = base.as<Symbol>()) {
    const Value longer{Symbol{symbol->name + '.' + name}, base.place};
    const Value known = resolved(longer);
    return known.closure() ? longer : known;
  }
  if (base.as<Unknown>())
    return {Unknown{expression.written, base.as<Unknown>()->name}, base.place};
  Object* object = base.object();
  if (!object) return {Unknown{expression.written}, base.place};
  if (const Value* value = object->find(name)) return *value;
  if (object->type.empty()) return {Unknown{expression.written}, base.place};
  if (surroundings_.field)
    if (auto value = surroundings_.field(object->type, name, heap_)) {
      if (value->object() || value->list()) object->set(name, *value);
      return *value;
    }
  Object& implied = heap_.object(object->type + '.' + name, base.place);
  implied.is_implied = true;
  return object->set(name, {&implied, base.place});
}

Value Interpreter::subscript(const Expression& expression, Scope& scope) {
  const Value base = value_of(expression.parts[0], scope);
  const Value key = value_of(expression.parts[1], scope);
  const Place place = place_of(expression, scope);
  const std::string* text = key.as<std::string>();
  if (const Symbol* symbol = base.as<Symbol>(); symbol && symbol->name == "os.environ" && text) {
    Value given = given_or_unknown(*text, {Unknown{expression.written, *text}, place});
    if (const auto plain = plain_text(given)) given.is = *plain;
    return given;
  }
  if (const Object* object = base.object(); object && text)
    if (const Value* value = object->find(*text)) return *value;
  const List* list = base.list();
  const int64_t* index = key.as<int64_t>();
  if (list && index) {
    const auto size = static_cast<int64_t>(list->items.size());
    const int64_t at = *index < 0 ? *index + size : *index;
    if (at >= 0 && at < size) return list->items[static_cast<size_t>(at)];
  }
  const Unknown* unknown = base.as<Unknown>() ? base.as<Unknown>() : key.as<Unknown>();
  return {Unknown{expression.written, unknown ? unknown->name : ""}, place};
}

Value Interpreter::binary(const Expression& expression, Scope& scope) {
  const Value left = value_of(expression.parts[0], scope);
  if (expression.text == "and" || expression.text == "or") {
    const auto truth = truth_of(left);
    if (truth && *truth != (expression.text == "and")) return left;
    const Value right = value_of(expression.parts[1], scope);
    if (truth) return right;
    const Unknown* unknown = left.as<Unknown>();
    return {Unknown{expression.written, unknown ? unknown->name : ""}, left.place};
  }
  const Value right = value_of(expression.parts[1], scope);
  if (const auto value = operated(expression.text, left, right, heap_)) return *value;
  const Unknown* unknown = left.as<Unknown>() ? left.as<Unknown>() : right.as<Unknown>();
  return {Unknown{expression.written, unknown ? unknown->name : ""}, left.place};
}

Value Interpreter::dictionary(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  Object& object = heap_.object({}, place);
  for (size_t i = 0; i + 1 < expression.parts.size(); i += 2) {
    const Expression& key = expression.parts[i];
    const Value value = value_of(expression.parts[i + 1], scope);
    if (key.kind == Expression::Kind::opaque && key.written == "**") {
      const Object* others = value.object();
      if (others && !others->is_implied)
        for (const auto& [name, one] : others->fields) object.set(name, one);
      else
        object.set("**", {Unknown{expression.parts[i + 1].written}, value.place});
      continue;
    }
    const auto name = plain_text(value_of(key, scope));
    object.set(name ? *name : key.written, value);
  }
  return {&object, place};
}

}  // namespace pipewright::interop::python
