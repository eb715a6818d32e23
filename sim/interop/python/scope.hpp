// Where names of a program stand.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interop/python/syntax.hpp"
#include "interop/python/value.hpp"

namespace pipewright::interop::python {

struct Module;

struct Scope {
  std::map<std::string, Value, std::less<>> names{};
  std::map<std::string, Scope*, std::less<>> elsewhere{};  ///< names of global and nonlocal
  Scope* outer = nullptr;
  Module* module = nullptr;

  /// Returns the value of `name` here or further out, or null.
  const Value* find(std::string_view name) const {
    if (const auto found = elsewhere.find(name); found != elsewhere.end())
      return found->second->find(name);
    for (const Scope* scope = this; scope; scope = scope->outer)
      if (const auto found = scope->names.find(name); found != scope->names.end())
        return &found->second;
    return nullptr;
  }
};

/// A function that stands in a file.
struct Closure {
  const Statement* definition = nullptr;
  Scope* scope = nullptr;         ///< around it
  std::vector<Value> defaults{};  ///< of its parameters, taken where it stands
};

/// A file of the program.
struct Module {
  std::shared_ptr<const std::string> file;
  std::string package;  ///< its folder, "torchtitan.models.llama3"
  std::vector<Statement> statements{};
  Scope globals{};
  bool is_main = false;  ///< the file with which the program begins
};

}  // namespace pipewright::interop::python
