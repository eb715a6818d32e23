// What statements set, change and remove (interpreter.hpp).
#include <fmt/format.h>

#include "interop/python/builtins.hpp"
#include "interop/python/interpreter.hpp"
#include "interop/python/operators.hpp"

namespace pipewright::interop::python {
namespace {

/// Returns why `value` is not known where only one may be that is.
Unknown hidden(const Unknown& why, const Value& value) {
  Unknown out = why;
  out.may_be_known = may_be_known(value);
  return out;
}

std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace

/// Gives `name` a value. In doubt it is not known, but where it has that value already.
void Interpreter::bind(const std::string& name, Value value, Scope& scope) {
  const auto elsewhere = scope.elsewhere.find(name);
  Scope& own = elsewhere == scope.elsewhere.end() ? scope : *elsewhere->second;
  if (state_.doubt) {
    const auto found = own.names.find(name);
    if (found != own.names.end() && found->second.is == value.is) return;
    value.is = hidden(*state_.doubt, value);
  }
  own.names[name] = std::move(value);
}

void Interpreter::declare(const Statement& statement, Scope& scope) {
  for (const std::string& name : statement.names) {
    Scope* where = &scope.module->globals;
    if (statement.text == "nonlocal")
      for (Scope* outer = scope.outer; outer; outer = outer->outer)
        if (outer->names.contains(name)) {
          where = outer;
          break;
        }
    if (where != &scope) scope.elsewhere[name] = where;
  }
}

void Interpreter::assign(const Expression& target, Value value, Scope& scope) {
  using Kind = Expression::Kind;
  value.place = value.place.file ? value.place : place_of(target, scope);
  if (target.kind == Kind::name) return bind(target.text, std::move(value), scope);
  if (target.kind == Kind::list) return assign_each(target, value, scope);
  if (target.kind == Kind::starred) return assign(target.parts[0], std::move(value), scope);
  if (target.kind != Kind::attribute && target.kind != Kind::subscript) return;
  if (state_.doubt) value.is = hidden(*state_.doubt, value);
  const Value base = value_of(target.parts[0], scope);
  if (target.kind == Kind::attribute)
    set_attribute(base, target, std::move(value), scope);
  else
    set_item(base, target, std::move(value), scope);
}

void Interpreter::assign_each(const Expression& target, const Value& value, Scope& scope) {
  const std::vector<Expression>& parts = target.parts;
  const List* list = value.list();
  size_t star = 0;
  while (star < parts.size() && parts[star].kind != Expression::Kind::starred) ++star;
  const bool has_star = star < parts.size();
  const bool fits = list && (has_star ? list->items.size() + 1 >= parts.size()
                                      : list->items.size() == parts.size());
  if (!fits) {
    for (const Expression& part : parts)
      assign(part, {Unknown{value_text(value, target), {}}, value.place}, scope);
    return;
  }
  const std::vector<Value> items = list->items;
  const auto many = static_cast<std::ptrdiff_t>(items.size() + 1 - parts.size());
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!has_star || i != star) {
      assign(parts[i], items[next++], scope);
      continue;
    }
    const auto from = items.begin() + static_cast<std::ptrdiff_t>(next);
    assign(parts[i], {&heap_.list({from, from + many}), value.place}, scope);
    next += static_cast<size_t>(many);
  }
}

std::string Interpreter::value_text(const Value& value, const Expression& target) {
  const Unknown* unknown = value.as<Unknown>();
  return unknown ? unknown->written : target.written();
}

/// Changes what is not known. That matters to nothing else, where it is no object that is known.
void Interpreter::set_unknown(const Value& base, const Expression& target,
                              const Scope& scope) const {
  const Unknown* unknown = base.as<Unknown>();
  if (unknown && !unknown->may_be_known) return;
  throw InputError(place_of(target, scope).where(),
                   fmt::format("what {} is, which this changes, is not known here",
                               on_one_line(target.parts[0].written())));
}

void Interpreter::set_attribute(const Value& base, const Expression& target, Value value,
                                const Scope& scope) {
  if (Object* object = base.object())
    heap_.set(*object, target.text, std::move(value));
  else if (const auto* symbol = base.as<Symbol>())
    symbols_[symbol->name + '.' + target.text] = std::move(value);
  else
    set_unknown(base, target, scope);
}

void Interpreter::set_item(const Value& base, const Expression& target, Value value, Scope& scope) {
  const Value key = value_of(target.parts[1], scope);
  if (Object* object = base.object()) {
    if (const auto name = key_of(key)) {
      heap_.set(*object, *name, std::move(value));
      return;
    }
    if (!object->is_dictionary()) return set_unknown(base, target, scope);
    return base.forget({target.written(), {}});
  }
  if (base.list()) {
    if (Value* item = item_of(base, key))
      *item = std::move(value);
    else
      base.forget({target.written(), {}});
    return;
  }
  const auto* symbol = base.as<Symbol>();
  if (symbol && key.as<std::string>()) {
    symbols_[fmt::format("{}[{}]", symbol->name, *key.as<std::string>())] = std::move(value);
    return;
  }
  set_unknown(base, target, scope);
}

Value* Interpreter::item_of(const Value& base, const Value& key) {
  List* list = base.list();
  const int64_t* index = key.as<int64_t>();
  if (!list || !index) return nullptr;
  const auto size = static_cast<int64_t>(list->items.size());
  const int64_t at = *index < 0 ? *index + size : *index;
  return at >= 0 && at < size ? &list->items[static_cast<size_t>(at)] : nullptr;
}

void Interpreter::change(const Statement& statement, Scope& scope) {
  const Expression& target = statement.expressions[0];
  const Value before = value_of(target, scope), by = value_of(statement.expressions[1], scope);
  // A list that grows is the same list, and so is a dictionary.
  const char* const method = statement.text == "+" && before.list()           ? "extend"
                             : statement.text == "|" && dictionary_in(before) ? "update"
                                                                              : nullptr;
  if (method) {
    Call call;
    call.name = target.written();
    call.place = place_of(target, scope);
    call.doubt = state_.doubt;
    call.arguments.push_back(by);
    method_of(before, method, call, heap_);
    return;
  }
  const auto after = operated(statement.text, before, by, heap_);
  Value value = after ? *after : Value{why_unknown(target, by.as<Unknown>() ? by : before), {}};
  value.place = place_of(target, scope);
  assign(target, std::move(value), scope);
}

bool Interpreter::dictionary_in(const Value& value) {
  return value.object() && value.object()->is_dictionary();
}

void Interpreter::remove(const Expression& target, Scope& scope) {
  using Kind = Expression::Kind;
  if (target.kind == Kind::list) {
    for (const Expression& part : target.parts) remove(part, scope);
  } else if (target.kind == Kind::name) {
    if (state_.doubt)
      bind(target.text, {*state_.doubt, place_of(target, scope)}, scope);
    else
      scope.names.erase(target.text);
  } else if (target.kind == Kind::attribute) {
    assign(target, {Unknown{target.written(), {}}, place_of(target, scope)}, scope);
  } else if (target.kind == Kind::subscript) {
    const Value base = value_of(target.parts[0], scope);
    if (base.as<Symbol>()) return;
    if (!base.list() && !dictionary_in(base)) return set_unknown(base, target, scope);
    Call call;
    call.name = target.written();
    call.place = place_of(target, scope);
    call.doubt = state_.doubt;
    call.arguments.push_back(value_of(target.parts[1], scope));
    method_of(base, "pop", call, heap_);
  }
}

}  // namespace pipewright::interop::python
