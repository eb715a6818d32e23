#include <fmt/format.h>

#include <algorithm>

#include "interop/python/builtins.hpp"
#include "interop/python/interpreter.hpp"

namespace pipewright::interop::python {
namespace {

bool is_partial(const Value& value) {
  const Object* object = value.object();
  return object && object->type == "functools.partial" && !object->arguments.empty();
}

bool is_dotted(const Expression& expression) {
  if (expression.kind == Expression::Kind::name) return true;
  return expression.kind == Expression::Kind::attribute && is_dotted(expression.parts[0]);
}

}  // namespace

const Value* Call::find(std::string_view argument) const {
  const auto found =
      std::ranges::find_if(named, [&](const auto& one) { return one.first == argument; });
  return found == named.end() ? nullptr : &found->second;
}

void Interpreter::check_arguments(const Closure& closure, const Call& call) const {
  const std::vector<Parameter>& parameters = closure.definition->parameters;
  size_t positional = 0;
  bool takes_more = false, takes_names = false, is_by_name = false;
  for (const Parameter& parameter : parameters) {
    takes_more |= parameter.rest == "*" && !parameter.name.empty();
    takes_names |= parameter.rest == "**";
    is_by_name |= !parameter.rest.empty();
    if (!is_by_name) ++positional;
  }
  const std::string& name = closure.definition->text;
  if (call.arguments.size() > positional && !takes_more)
    throw InputError(call.place.where(),
                     fmt::format("{} takes no more than {} arguments without a name, and not {}",
                                 name, positional, call.arguments.size()));
  if (takes_names) return;
  for (const auto& [given, value] : call.named) {
    const auto found = std::ranges::find(parameters, given, &Parameter::name);
    if (!given.starts_with('*') && (found == parameters.end() || !found->rest.empty()))
      throw InputError(value.place.where(), fmt::format("{} takes no argument {}", name, given));
  }
}

void Interpreter::take_arguments(const Closure& closure, const Call& call, Scope& scope) {
  check_arguments(closure, call);
  const std::vector<Parameter>& parameters = closure.definition->parameters;
  heap_.count(parameters.size() * call.named.size() / Heap::looked_at);
  // What *X and **X may say.
  const Value* several = call.find("*");
  const Value* others = several ? several : call.find("**");
  size_t next = 0;
  bool is_by_name = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    is_by_name |= !parameter.rest.empty();
    if (parameter.rest == "*" && parameter.name.empty()) continue;
    const Value* named = call.find(parameter.name);
    Value& value = scope.names[parameter.name];
    if (parameter.rest == "*") {
      value = several
                  ? *several
                  : Value{&heap_.list({call.arguments.begin() + static_cast<std::ptrdiff_t>(next),
                                       call.arguments.end()}),
                          call.place};
    } else if (!parameter.rest.empty()) {
      value = others_of(call, parameters);
    } else if (!is_by_name && next < call.arguments.size()) {
      value = call.arguments[next++];
    } else if (named) {
      value = *named;
    } else if (others) {
      value = *others;
    } else if (!parameter.otherwise.empty()) {
      value = closure.defaults[i];
    } else {
      value =
          given_or_unknown(parameter.name, {Unknown{parameter.name, parameter.name}, call.place});
    }
  }
}

/// Returns the arguments that no parameter names.
Value Interpreter::others_of(const Call& call, const std::vector<Parameter>& parameters) {
  Object& others = heap_.object({}, call.place);
  for (const auto& [name, value] : call.named)
    if (name != "*" && std::ranges::find(parameters, name, &Parameter::name) == parameters.end())
      heap_.set(others, name, value);
  return {&others, call.place};
}

Value Interpreter::call_closure(const Closure& closure, const Call& call) {
  constexpr int deepest = 40;
  if (state_.calls >= deepest) throw InputError(call.place.where(), "calls are nested too deeply");
  Scope& scope = scopes_.emplace_back();
  scope.outer = closure.scope;
  scope.module = closure.scope->module;
  take_arguments(closure, call, scope);
  const std::optional<Value> outer = std::exchange(state_.result, std::nullopt);
  const bool leaves_loop = leaves_loop_;
  ++state_.calls;
  const Flow flow = follow(closure.definition->body, scope);
  --state_.calls;
  leaves_loop_ = leaves_loop;
  Value value = std::exchange(state_.result, outer).value_or(Value{{}, call.place});
  if (flow == Flow::may_give) {
    Unknown why = why_;
    why.may_be_known = may_be_known(value);
    value.is = why;
  }
  return value;
}

Value Interpreter::call_from_outside(const Closure& closure, Call call) {
  for (const Parameter& parameter : closure.definition->parameters)
    if (surroundings_.given.contains(parameter.name))
      call.named.emplace_back(parameter.name, given_or_unknown(parameter.name, {{}, call.place}));
  return call_closure(closure, call);
}

void Interpreter::add_arguments(const Expression& expression, Scope& scope, Call& call) {
  for (size_t i = 1; i < expression.parts.size(); ++i) {
    const std::string& name = expression.names[i - 1];
    const Value value = value_of(expression.parts[i], scope);
    if (name == "**" && value.object() && value.object()->type.empty()) {
      heap_.count(value.object()->fields.size());
      for (const auto& one : value.object()->fields) call.named.push_back(one);
    } else if (name == "*" && value.list()) {
      heap_.count(value.list()->items.size());
      for (const Value& item : value.list()->items) call.arguments.push_back(item);
    } else if (name == "*" || name == "**") {
      call.named.emplace_back(name, Value{why_unknown(expression.parts[i], value), value.place});
    } else if (name.empty() && call.find("*")) {
      continue;  // which argument it is, is not known
    } else if (name.empty()) {
      call.arguments.push_back(value);
    } else {
      call.named.emplace_back(name, value);
    }
  }
}

Value Interpreter::call(const Expression& expression, Scope& scope) {
  const Expression& callee = expression.parts[0];
  Call call;
  call.place = place_of(expression, scope);
  call.name = callee.written();
  const bool is_command = command_ == &expression;
  const bool is_method = callee.kind == Expression::Kind::attribute;
  const Value base = is_method ? value_of(callee.parts[0], scope) : Value{};
  Value function = is_method ? attribute_of(base, callee) : value_of(callee, scope);
  // Functions of Python's own have no name in a scope, nor do those of `from module import *`.
  if (const Unknown* unknown = function.as<Unknown>())
    if (unknown->written == call.name && call.name.starts_with(unknown->name) &&
        !unknown->name.empty() && is_dotted(callee))
      function.is = Symbol{call.name};
  add_arguments(expression, scope, call);
  call.doubt = state_.doubt;
  if (is_method)
    if (auto value = call_method(base, callee.text, call)) return *value;
  if (function.as<Symbol>())
    if (auto value = attribute_named(call, expression)) return *value;
  const bool is_function = function.closure() || function.as<Symbol>() || is_partial(function);
  if (is_function) return call_value(function, std::move(call), is_command);
  return call_unknown(expression, base, std::move(call), is_command);
}

/// Calls a method of an object, of which nothing is known here, or what is no function that is.
Value Interpreter::call_unknown(const Expression& expression, const Value& base, Call call,
                                bool is_command) {
  const Expression& callee = expression.parts[0];
  Object* object = base.object();
  if (object && surroundings_.call) {
    call.name = object->type + '.' + callee.text;
    call.self = base;
    if (auto value = surroundings_.call(call, heap_)) return *value;
  }
  call.name = callee.written();
  if (is_command && !is_idle(call)) {
    const Value by{Symbol{call.name}, call.place};
    if (object) object->changed_by.push_back(by);
    note_changes(call, by);
  }
  Unknown why{expression.written(), {}};
  why.may_be_known = may_be_known(base) || std::ranges::any_of(call.arguments, may_be_known);
  for (const auto& [name, value] : call.named) why.may_be_known |= may_be_known(value);
  return {why, call.place};
}

/// Calls what a function is: one of the program, one of another module, or functools.partial(f,
/// ...).
Value Interpreter::call_value(const Value& function, Call call, bool is_command) {
  if (const Closure* closure = function.closure()) return call_closure(*closure, call);
  if (is_partial(function)) return call_partial(*function.object(), std::move(call), is_command);
  const auto* symbol = function.as<Symbol>();
  if (!symbol) return {Unknown{call.name, {}}, call.place};
  call.name = symbol->name;
  return call_symbol(call, is_command);
}

Value Interpreter::call_partial(const Object& partial, Call call, bool is_command) {
  call.arguments.insert(call.arguments.begin(), partial.arguments.begin() + 1,
                        partial.arguments.end());
  heap_.count(call.arguments.size() + partial.fields.size());
  for (const auto& [name, value] : partial.fields)
    if (!call.find(name)) call.named.emplace_back(name, value);
  constexpr int deepest = 40;
  if (state_.calls >= deepest) throw InputError(call.place.where(), "calls are nested too deeply");
  ++state_.calls;
  const Value value = call_value(partial.arguments.front(), std::move(call), is_command);
  --state_.calls;
  return value;
}

/// Returns what getattr or hasattr of an object gives, where that is known.
std::optional<Value> Interpreter::attribute_named(const Call& call, const Expression& expression) {
  if ((call.name != "getattr" && call.name != "hasattr") || call.arguments.size() < 2)
    return std::nullopt;
  const Object* object = call.arguments[0].object();
  const std::string* name = call.arguments[1].as<std::string>();
  if (!object || object->is_dictionary() || !name) return std::nullopt;
  const bool is_own = classes_.contains(object->type) || object->type == namespace_type;
  const bool is_there = object->find(*name) || (is_own && class_attribute(object->type, *name));
  if (call.name == "hasattr") {
    const bool is_default =
        surroundings_.field && surroundings_.field(object->type, *name, heap_).has_value();
    if (!is_there && !is_own && !is_default) return std::nullopt;
    return Value{is_there || is_default, call.place};
  }
  if (!is_there && is_own && call.arguments.size() > 2) return call.arguments[2];
  Expression attribute = expression;
  attribute.text = *name;
  return attribute_of(call.arguments[0], attribute);
}

bool Interpreter::is_idle(const Call& call) const {
  return surroundings_.is_idle && surroundings_.is_idle(last_name(call.name));
}

/// A class makes an object, and so does a function that is not known. What such a function does to
/// its arguments is not known, where it is called for nothing else.
Value Interpreter::call_symbol(const Call& call, bool is_command) {
  if (auto value = builtin(call, heap_)) return *value;
  if (auto value = from_outside(call)) return *value;
  constexpr std::string_view ends[] = {"sys.exit", "exit", "quit"};
  if (!call.doubt && std::ranges::find(ends, call.name) != std::end(ends)) throw Exit{};
  // A function that stands in a file of the program is that one, whatever it is called.
  const bool is_own = surroundings_.is_own && surroundings_.is_own(call.name);
  const Value known = is_own ? Value{} : resolved({Symbol{call.name}, call.place});
  if (const Closure* closure = known.closure()) return call_closure(*closure, call);
  if (surroundings_.call)
    if (auto value = surroundings_.call(call, heap_)) {
      if (Object* object = value->object()) complete(*object, call.place);
      return *value;
    }
  const Value own = is_own ? resolved({Symbol{call.name}, call.place}) : known;
  if (const Closure* closure = own.closure()) return call_closure(*closure, call);
  const auto* symbol = own.as<Symbol>();
  const bool is_class = symbol && classes_.contains(symbol->name);
  Object& object = heap_.object(is_class ? symbol->name : call.name, call.place);
  object.arguments = call.arguments;
  for (const auto& [name, value] : call.named) heap_.set(object, name, value);
  complete(object, call.place);
  if (is_command && !is_idle(call)) note_changes(call, {Symbol{call.name}, call.place});
  return {&object, call.place};
}

void Interpreter::note_changes(const Call& call, const Value& by) {
  const auto note = [&](const Value& value) {
    if (Object* object = value.object(); object && !object->is_dictionary())
      object->changed_by.push_back(by);
    value.forget({by.as<Symbol>()->name, {}});
  };
  for (const Value& value : call.arguments) note(value);
  for (const auto& [name, value] : call.named) note(value);
}

/// Returns what a variable of the environment is; one that the program has a value for need not be
/// given.
std::optional<Value> Interpreter::from_outside(const Call& call) {
  if (call.name != "os.environ.get" && call.name != "os.getenv") return std::nullopt;
  const std::string* name = call.arguments.empty() ? nullptr : call.arguments[0].as<std::string>();
  if (!name) return std::nullopt;
  if (const auto set = symbols_.find("os.environ[" + *name + ']'); set != symbols_.end())
    return set->second;
  const Value otherwise =
      call.arguments.size() > 1 ? call.arguments[1] : Value{Unknown{call.name, *name}, call.place};
  Value value = given_or_unknown(*name, otherwise);
  // The environment has texts.
  if (surroundings_.given.contains(*name))
    if (const auto plain = plain_text(value)) value.is = *plain;
  return value;
}

}  // namespace pipewright::interop::python
