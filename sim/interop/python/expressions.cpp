#include <charconv>

#include "interop/python/builtins.hpp"
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

/// Python's word for the class of an object, and that of Fiddle's configurations.
bool means_class(std::string_view name) { return name == "__class__" || name == "__fn_or_cls__"; }

}  // namespace

Place Interpreter::place_of(const Expression& expression, const Scope& scope) const {
  return {scope.module->file, expression.line, expression.column};
}

Value Interpreter::value_of(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  step(place);
  constexpr int deepest = 300;
  if (state_.depth > deepest)
    throw InputError(place.where(), "calls and expressions are nested too deeply");
  ++state_.depth;
  Value value = evaluated(expression, scope);
  --state_.depth;
  if (const std::string* text = value.as<std::string>()) heap_.count(text->size() / 1000);
  value.place = place;
  return value;
}

Value Interpreter::evaluated(const Expression& expression, Scope& scope) {
  switch (expression.kind) {
    case Expression::Kind::name:
      return name(expression, scope);
    case Expression::Kind::attribute:
      return attribute(expression, scope);
    case Expression::Kind::call:
      return call(expression, scope);
    case Expression::Kind::subscript:
      return subscript(expression, scope);
    case Expression::Kind::dictionary:
      return dictionary(expression, scope);
    case Expression::Kind::binary:
      return binary(expression, scope);
    case Expression::Kind::list:
      return list(expression, scope);
    case Expression::Kind::chain:
      return chain(expression, scope);
    case Expression::Kind::named: {
      const Value value = value_of(expression.parts[0], scope);
      bind(expression.text, value, scope);
      return value;
    }
    case Expression::Kind::starred:
      value_of(expression.parts[0], scope);
      return {Unknown{expression.written(), {}}, place_of(expression, scope)};
    case Expression::Kind::unary: {
      const Value inner = value_of(expression.parts[0], scope);
      const auto result = operated(expression.text, inner);
      return result ? *result : Value{why_unknown(expression, inner), place_of(expression, scope)};
    }
    case Expression::Kind::conditional:
      return conditional(expression, scope);
    case Expression::Kind::comprehension:
      return comprehension(expression, scope);
    case Expression::Kind::formatted:
      return formatted(expression, scope);
    case Expression::Kind::lambda:
      return closure_of(*expression.function, scope);
    default:
      return literal(expression, scope);
  }
}

Value Interpreter::list(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  List& list = heap_.list();
  for (const Expression& part : expression.parts) {
    const bool is_starred = part.kind == Expression::Kind::starred;
    const Value value = value_of(is_starred ? part.parts[0] : part, scope);
    if (!is_starred) {
      list.items.push_back(value);
      continue;
    }
    if (!value.list()) return {why_unknown(expression, value), place};
    heap_.count(value.list()->items.size());
    list.items.insert(list.items.end(), value.list()->items.begin(), value.list()->items.end());
  }
  return {&list, place};
}

Value Interpreter::conditional(const Expression& expression, Scope& scope) {
  const Value condition = value_of(expression.parts[0], scope);
  if (const auto truth = truth_of(condition))
    return value_of(expression.parts[*truth ? 1 : 2], scope);
  const Unknown why = why_unknown(expression.parts[0], condition);
  Unknown either = why_unknown(expression, condition);
  for (const size_t part : {size_t{1}, size_t{2}})
    either.may_be_known |= may_be_known(in_doubt(why, expression.parts[part], scope));
  return {either, condition.place};
}

/// Follows an expression of which it is not known whether it is followed.
Value Interpreter::in_doubt(const Unknown& why, const Expression& expression, Scope& scope) {
  const std::optional<Unknown> before = state_.doubt;
  if (!state_.doubt) state_.doubt = why;
  Value value = value_of(expression, scope);
  state_.doubt = before;
  return value;
}

Value Interpreter::chain(const Expression& expression, Scope& scope) {
  Value left = value_of(expression.parts[0], scope);
  Value all{true, left.place};
  for (size_t i = 0; i < expression.names.size(); ++i) {
    const Value right = all.as<Unknown>()
                            ? in_doubt(*all.as<Unknown>(), expression.parts[i + 1], scope)
                            : value_of(expression.parts[i + 1], scope);
    const auto value = operated(expression.names[i], left, right, heap_);
    const auto truth = value ? truth_of(*value) : std::nullopt;
    if (truth == false && !all.as<Unknown>()) return {false, left.place};
    if (!truth && !all.as<Unknown>())
      all = {why_unknown(expression, left.as<Unknown>() ? left : right), left.place};
    left = right;
  }
  return all;
}

/// Returns that an expression is not known, because of what it has inside.
Unknown Interpreter::why_unknown(const Expression& expression, const Value& of) {
  const Unknown* unknown = of.as<Unknown>();
  return {expression.written(), unknown ? unknown->name : std::string(),
          unknown && unknown->may_be_known};
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
  return {Unknown{expression.written(), {}}, place};
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
  if (expression.text == "__name__")
    return {scope.module->is_main ? std::string("__main__") : *scope.module->file, place};
  if (const Value* value = scope.find(expression.text)) {
    if (!value->as<Symbol>()) return *value;
    const Value known = resolved(*value);
    // A function is called by its name first (call_symbol).
    return known.closure() ? *value : known;
  }
  if (is_type(expression.text)) return {Symbol{expression.text}, place};
  return given_or_unknown(expression.text, {Unknown{expression.written(), expression.text}, place});
}

Value Interpreter::attribute(const Expression& expression, Scope& scope) {
  return attribute_of(value_of(expression.parts[0], scope), expression);
}

Value Interpreter::attribute_of(const Value& base, const Expression& expression) {
  const std::string& name = expression.text;
  if (const Symbol* symbol = base.as<Symbol>()) {
    if (const Value* own = class_attribute(symbol->name, name)) return *own;
    const Value longer{Symbol{symbol->name + '.' + name}, base.place};
    const Value known = resolved(longer);
    return known.closure() ? longer : known;
  }
  if (base.as<Unknown>()) return {why_unknown(expression, base), base.place};
  Object* object = base.object();
  if (!object) return {Unknown{expression.written(), {}}, base.place};
  if (const Value* value = object->find(name)) return *value;
  if (object->type.empty()) return {Unknown{expression.written(), {}}, base.place};
  if (means_class(name) && !object->is_implied) return {Symbol{object->type}, base.place};
  if (object->type == namespace_type)
    return given_or_unknown(name, {Unknown{expression.written(), name}, base.place});
  if (const auto value = inherited(base, expression)) return *value;
  if (surroundings_.field)
    if (auto value = surroundings_.field(object->type, name, heap_)) {
      if (value->object() || value->list()) heap_.set(*object, name, *value);
      return *value;
    }
  Object& implied = heap_.object(object->type + '.' + name, base.place);
  implied.is_implied = true;
  return heap_.set(*object, name, {&implied, base.place});
}

Value Interpreter::subscript(const Expression& expression, Scope& scope) {
  const Value base = value_of(expression.parts[0], scope);
  if (expression.parts[1].kind == Expression::Kind::slice) return slice(base, expression, scope);
  const Value key = value_of(expression.parts[1], scope);
  const Place place = place_of(expression, scope);
  const std::string* text = key.as<std::string>();
  const Symbol* symbol = base.as<Symbol>();
  if (symbol && text) {
    const auto set = symbols_.find(symbol->name + '[' + *text + ']');
    if (set != symbols_.end()) return set->second;
  }
  if (symbol && symbol->name == "os.environ" && text) {
    Value given = given_or_unknown(*text, {Unknown{expression.written(), *text}, place});
    if (const auto plain = plain_text(given)) given.is = *plain;
    return given;
  }
  if (const Object* object = base.object())
    if (const auto name = key_of(key))
      if (const Value* value = object->find(*name)) return *value;
  if (const Value* item = item_of(base, key)) return *item;
  Unknown why = why_unknown(expression, base.as<Unknown>() ? base : key);
  why.may_be_known |= may_be_known(base);
  return {why, place};
}

Value Interpreter::binary(const Expression& expression, Scope& scope) {
  const Value left = value_of(expression.parts[0], scope);
  if (expression.text == "and" || expression.text == "or") {
    const auto truth = truth_of(left);
    if (truth && *truth != (expression.text == "and")) return left;
    if (truth) return value_of(expression.parts[1], scope);
    const Value other =
        in_doubt(why_unknown(expression.parts[0], left), expression.parts[1], scope);
    Unknown either = why_unknown(expression, left);
    either.may_be_known |= may_be_known(other) || may_be_known(left);
    return {either, left.place};
  }
  const Value right = value_of(expression.parts[1], scope);
  if (const auto value = operated(expression.text, left, right, heap_)) return *value;
  const Unknown* unknown = left.as<Unknown>() ? left.as<Unknown>() : right.as<Unknown>();
  return {Unknown{expression.written(), unknown ? unknown->name : ""}, left.place};
}

Value Interpreter::dictionary(const Expression& expression, Scope& scope) {
  const Place place = place_of(expression, scope);
  Object& object = heap_.object({}, place);
  for (size_t i = 0; i + 1 < expression.parts.size(); i += 2) {
    const Expression& key = expression.parts[i];
    const Value value = value_of(expression.parts[i + 1], scope);
    if (key.kind == Expression::Kind::opaque && key.text == "**") {
      const Object* others = value.object();
      if (others && !others->is_implied)
        for (const auto& [name, one] : others->fields) heap_.set(object, name, one);
      else
        heap_.set(object, "**", {Unknown{expression.parts[i + 1].written(), {}}, value.place});
      continue;
    }
    const auto name = key_of(value_of(key, scope));
    heap_.set(object, name ? *name : "**", name ? value : Value{Unknown{key.written(), {}}, place});
  }
  return {&object, place};
}

}  // namespace pipewright::interop::python
