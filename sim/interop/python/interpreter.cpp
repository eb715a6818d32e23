#include "interop/python/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/python/operators.hpp"
#include "interop/python/reader.hpp"

namespace pipewright::interop::python {
namespace {

constexpr int64_t most_steps = 50'000;
constexpr size_t most_modules = 64;

/// "torchtitan.models.llama3" of "torchtitan/models/llama3/config_registry.py".
std::string package_of(const std::string& file) {
  std::string folder = file.substr(0, std::min(file.find_last_of('/'), file.size()));
  if (file.find('/') == std::string::npos) return {};
  while (folder.starts_with("./") || folder.starts_with('/')) folder.erase(0, folder.find('/') + 1);
  std::ranges::replace(folder, '/', '.');
  return folder;
}

/// Returns the module that "..name" is, seen from `package`.
std::string absolute(std::string name, std::string package) {
  if (!name.starts_with('.')) return name;
  name.erase(0, 1);
  for (; name.starts_with('.'); name.erase(0, 1))
    package.resize(std::min(package.find_last_of('.'), package.size()) == package.size()
                       ? 0
                       : package.find_last_of('.'));
  if (package.empty() || name.empty()) return package + name;
  return package + '.' + name;
}

}  // namespace

void Interpreter::step(const Place& place) {
  if (++steps_ > most_steps) throw InputError(place.where(), "this program goes on for too long");
}

Module& Interpreter::run(std::string_view text, const std::string& file) {
  Module& module = modules_.emplace_back();
  module.file = std::make_shared<const std::string>(file);
  module.package = package_of(file);
  module.globals.module = &module;
  module.statements = read_program(text, file);
  follow(module.statements, module.globals);
  return module;
}

/// Reads the file of a module once; null where it is not there or cannot be read.
Module* Interpreter::module_named(const std::string& dotted) {
  const auto [place, is_new] = named_.try_emplace(dotted, nullptr);
  if (!is_new || !surroundings_.read || modules_.size() > most_modules) return place->second;
  std::string path = dotted;
  std::ranges::replace(path, '.', '/');
  for (const std::string& file : {path + ".py", path + "/__init__.py"}) {
    const auto text = surroundings_.read(file);
    if (!text) continue;
    const auto doubt = std::exchange(doubt_, std::nullopt);
    const auto result = std::exchange(result_, std::nullopt);
    const int depth = depth_, calls = calls_, tries = tries_;
    try {
      named_[dotted] = &run(*text, file);
    } catch (const InputError&) {  // what it has is not known, as if it were not there
      depth_ = depth;
      calls_ = calls;
      tries_ = tries;
    }
    doubt_ = doubt;
    result_ = result;
    return named_[dotted];
  }
  return nullptr;
}

Value Interpreter::resolved(const Value& symbol) {
  const std::string name = symbol.as<Symbol>()->name;
  const size_t dot = name.find_last_of('.');
  if (dot == std::string::npos) return symbol;
  const Module* module = module_named(name.substr(0, dot));
  if (!module) return symbol;
  const auto found = module->globals.names.find(name.substr(dot + 1));
  return found == module->globals.names.end() || found->second.as<Unknown>() ? symbol
                                                                             : found->second;
}

Interpreter::Flow Interpreter::follow(const std::vector<Statement>& statements, Scope& scope) {
  for (const Statement& statement : statements)
    if (const Flow flow = follow(statement, scope); flow != Flow::next) return flow;
  return Flow::next;
}

Interpreter::Flow Interpreter::follow(const Statement& statement, Scope& scope) {
  using Kind = Statement::Kind;
  step({scope.module->file, statement.line, statement.column});
  switch (statement.kind) {
    case Kind::assign: {
      const Value value = value_of(statement.expressions.back(), scope);
      for (size_t i = 0; i + 1 < statement.expressions.size(); ++i)
        assign(statement.expressions[i], value, scope);
      return Flow::next;
    }
    case Kind::change:
      change(statement, scope);
      return Flow::next;
    case Kind::expression:
      command_ = &statement.expressions.front();
      value_of(*command_, scope);
      return Flow::next;
    case Kind::define:
      define(statement, scope);
      return Flow::next;
    case Kind::name_class:
      scope.names[statement.text] = {Symbol{statement.text},
                                     {scope.module->file, statement.line, statement.column}};
      return Flow::next;
    case Kind::import:
      import(statement, scope);
      return Flow::next;
    case Kind::choose:
      return choose(statement, scope);
    case Kind::repeat:
      return repeat(statement, scope);
    case Kind::leave:
      return leave(statement, scope);
    case Kind::give:
      result_ =
          statement.expressions.empty() ? Value{} : value_of(statement.expressions.front(), scope);
      return Flow::give;
    case Kind::block:
      for (size_t i = 0; i < statement.expressions.size(); ++i) {
        Value value = value_of(statement.expressions[i], scope);
        if (i < statement.names.size()) scope.names[statement.names[i]] = std::move(value);
      }
      return follow(statement.body, scope);
    case Kind::attempt:
      break;
  }
  ++tries_;
  const Flow flow = follow(statement.body, scope);
  --tries_;
  in_doubt({"whether this raises"}, statement.otherwise, scope);
  return flow;
}

void Interpreter::define(const Statement& statement, Scope& scope) {
  closures_.push_back({&statement, &scope});
  scope.names[statement.text] = {&closures_.back(),
                                 {scope.module->file, statement.line, statement.column}};
}

void Interpreter::import(const Statement& statement, Scope& scope) {
  const Place place{scope.module->file, statement.line, statement.column};
  const std::string module = absolute(statement.text, scope.module->package);
  for (size_t i = 0; i + 1 < statement.names.size(); i += 2) {
    const std::string &what = statement.names[i], &name = statement.names[i + 1];
    if (what == "*") {
      if (const Module* other = module_named(module))
        for (const auto& [inner, value] : other->globals.names) scope.names[inner] = value;
    } else if (!what.empty()) {
      scope.names[name] = {Symbol{module.empty() ? what : module + '.' + what}, place};
    } else if (!name.empty()) {
      scope.names[name] = {Symbol{module}, place};
    } else {
      const std::string first = module.substr(0, module.find('.'));
      scope.names[first] = {Symbol{first}, place};
    }
  }
}

/// Follows statements of which it is not known whether they are followed: what they set is not
/// known.
void Interpreter::in_doubt(const Unknown& why, const std::vector<Statement>& statements,
                           Scope& scope) {
  const std::optional<Unknown> before = doubt_;
  if (!doubt_) doubt_ = why;
  const bool gives = follow(statements, scope) == Flow::give;
  if (gives && result_) *result_ = {*doubt_, result_->place};
  doubt_ = before;
}

Interpreter::Flow Interpreter::choose(const Statement& statement, Scope& scope) {
  const Value condition = value_of(statement.expressions.front(), scope);
  if (const auto truth = truth_of(condition))
    return follow(*truth ? statement.body : statement.otherwise, scope);
  Unknown why{statement.expressions.front().written, {}};
  if (const Unknown* unknown = condition.as<Unknown>()) why.name = unknown->name;
  const std::optional<Value> before = std::exchange(result_, std::nullopt);
  in_doubt(why, statement.body, scope);
  in_doubt(why, statement.otherwise, scope);
  // Where one of both returns, what comes after it is in doubt too, and so is what is returned.
  const bool gives = result_.has_value();
  if (!gives) result_ = before;
  return gives ? Flow::give : Flow::next;
}

Interpreter::Flow Interpreter::repeat(const Statement& statement, Scope& scope) {
  const bool counts = !statement.expressions.empty();
  const Value over = counts ? value_of(statement.expressions[1], scope) : Value{};
  if (!over.list()) {
    if (counts)
      assign(statement.expressions[0], {Unknown{statement.expressions[1].written}}, scope);
    in_doubt({counts ? statement.expressions[1].written : "how often this is repeated"},
             statement.body, scope);
    return Flow::next;
  }
  const std::vector<Value> items = over.list()->items;
  for (const Value& item : items) {
    assign(statement.expressions[0], item, scope);
    const Flow flow = follow(statement.body, scope);
    if (flow == Flow::give) return flow;
    if (flow == Flow::leave && leaves_loop_) break;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::leave(const Statement& statement, const Scope& scope) {
  if (statement.text == "raise" && !doubt_ && tries_ == 0)
    throw InputError({*scope.module->file, statement.line, statement.column},
                     "the program stops here with an error of its own");
  leaves_loop_ = statement.text != "continue";
  return Flow::leave;
}

void Interpreter::assign(const Expression& target, Value value, Scope& scope) {
  using Kind = Expression::Kind;
  if (doubt_ && !value.object()) value.is = *doubt_;
  value.place = value.place.file ? value.place : place_of(target, scope);
  if (target.kind == Kind::name) {
    if (doubt_ && value.object()) value.is = *doubt_;
    scope.names[target.text] = std::move(value);
  } else if (target.kind == Kind::attribute) {
    const Value base = value_of(target.parts[0], scope);
    if (doubt_) value.is = *doubt_;
    if (Object* object = base.object()) object->set(target.text, std::move(value));
  } else if (target.kind == Kind::subscript) {
    const Value base = value_of(target.parts[0], scope);
    const Value key = value_of(target.parts[1], scope);
    if (doubt_) value.is = *doubt_;
    if (Object* object = base.object())
      object->set(key.as<std::string>() ? *key.as<std::string>() : target.parts[1].written,
                  std::move(value));
    else if (List* list = base.list())
      if (const int64_t* index = key.as<int64_t>();
          index && *index >= 0 && *index < static_cast<int64_t>(list->items.size()))
        list->items[static_cast<size_t>(*index)] = std::move(value);
  } else if (target.kind == Kind::list) {
    const List* list = value.list();
    const bool fits = list && list->items.size() == target.parts.size();
    for (size_t i = 0; i < target.parts.size(); ++i)
      assign(target.parts[i], fits ? list->items[i] : Value{Unknown{target.written}, value.place},
             scope);
  }
}

void Interpreter::change(const Statement& statement, Scope& scope) {
  const Expression& target = statement.expressions[0];
  const Value before = value_of(target, scope), by = value_of(statement.expressions[1], scope);
  const auto after = operated(statement.text, before, by, heap_);
  Value value = after ? *after : Value{Unknown{target.written}, {}};
  value.place = place_of(target, scope);
  assign(target, std::move(value), scope);
}

}  // namespace pipewright::interop::python
