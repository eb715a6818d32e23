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
  heap_.set_place(place);
  if (++steps_ > most_steps) throw InputError(place.where(), "this program goes on for too long");
}

Module& Interpreter::run(std::string_view text, const std::string& file, const std::string& name) {
  Module& module = modules_.emplace_back();
  module.name = name;
  module.file = std::make_shared<const std::string>(file);
  module.package = package_of(file);
  module.globals.module = &module;
  module.is_main = modules_.size() == 1;
  module.statements = read_program(text, file);
  try {
    follow(module.statements, module.globals);
  } catch (const Exit&) {  // it ends here, and without an error
    state_ = {};
  }
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
    const State before = state_;
    state_.doubt.reset();
    state_.result.reset();
    try {
      named_[dotted] = &run(*text, file, dotted);
    } catch (const InputError&) {  // what it has is not known, as if it were not there
    }
    state_ = before;
    return named_[dotted];
  }
  return nullptr;
}

/// A file may take from another what that one takes from a third.
Value Interpreter::resolved(const Value& symbol) {
  constexpr int most_files = 16;
  Value known = found_in_file(symbol);
  for (int hop = 1; hop < most_files && known.as<Symbol>(); ++hop) {
    Value next = found_in_file(known);
    const Symbol* name = next.as<Symbol>();
    if (name && name->name == known.as<Symbol>()->name) break;
    known = std::move(next);
  }
  return known;
}

Value Interpreter::found_in_file(const Value& symbol) {
  const std::string name = symbol.as<Symbol>()->name;
  if (const auto set = symbols_.find(name); set != symbols_.end()) return set->second;
  const size_t dot = name.find_last_of('.');
  if (dot == std::string::npos) return symbol;
  const Module* module = module_named(name.substr(0, dot));
  if (!module) return symbol;
  const auto found = module->globals.names.find(name.substr(dot + 1));
  return found == module->globals.names.end() || found->second.as<Unknown>() ? symbol
                                                                             : found->second;
}

Interpreter::Flow Interpreter::follow(const std::vector<Statement>& statements, Scope& scope) {
  const std::optional<Unknown> before = state_.doubt;
  Flow whole = Flow::next;
  for (const Statement& statement : statements) {
    const Flow flow = follow(statement, scope);
    whole = std::max(whole, flow);
    if (flow == Flow::give || flow == Flow::leave || flow == Flow::stop) {
      // What may have been left before is not left for sure.
      if (whole != flow) whole = Flow::may_give;
      break;
    }
    if (flow != Flow::next && !state_.doubt) state_.doubt = why_;
  }
  state_.doubt = before;
  return whole;
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
      define_class(statement, scope);
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
      state_.result =
          statement.expressions.empty() ? Value{} : value_of(statement.expressions.front(), scope);
      return Flow::give;
    case Kind::block:
      for (size_t i = 0; i + 1 < statement.expressions.size(); i += 2)
        assign(statement.expressions[i + 1], value_of(statement.expressions[i], scope), scope);
      return follow(statement.body, scope);
    case Kind::remove:
      remove(statement.expressions.front(), scope);
      return Flow::next;
    case Kind::declare:
      declare(statement, scope);
      return Flow::next;
    case Kind::attempt:
      break;
  }
  return attempt(statement, scope);
}

void Interpreter::define(const Statement& statement, Scope& scope) {
  bind(statement.text, closure_of(statement, scope), scope);
}

Value Interpreter::closure_of(const Statement& definition, Scope& scope) {
  Closure& closure = closures_.emplace_back();
  closure.definition = &definition;
  // Names of a class are not those of its functions.
  closure.scope = scope.of_class.empty() ? &scope : scope.outer;
  for (const Parameter& one : definition.parameters)
    closure.defaults.push_back(one.otherwise.empty() ? Value{}
                                                     : value_of(one.otherwise.front(), scope));
  return {&closure, {scope.module->file, definition.line, definition.column}};
}

void Interpreter::import(const Statement& statement, Scope& scope) {
  const Place place{scope.module->file, statement.line, statement.column};
  const std::string module = absolute(statement.text, scope.module->package);
  for (size_t i = 0; i + 1 < statement.names.size(); i += 2) {
    const std::string &what = statement.names[i], &name = statement.names[i + 1];
    if (what == "*") {
      if (const Module* other = module_named(module))
        for (const auto& [inner, value] : other->globals.names) bind(inner, value, scope);
    } else if (!what.empty()) {
      bind(name, {Symbol{module.empty() ? what : module + '.' + what}, place}, scope);
    } else if (!name.empty()) {
      bind(name, {Symbol{module}, place}, scope);
    } else {
      const std::string first = module.substr(0, module.find('.'));
      bind(first, {Symbol{first}, place}, scope);
    }
  }
}

}  // namespace pipewright::interop::python
