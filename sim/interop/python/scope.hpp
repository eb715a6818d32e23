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
  std::string of_class{};  ///< "Trainer.Config" of a class whose body this is

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

/// A class that stands in a file of the program.
struct Class {
  const Statement* definition = nullptr;
  Scope* scope = nullptr;            ///< of its body
  std::vector<std::string> bases{};  ///< but those that have no fields, such as object
  bool is_data = false;              ///< what makes one sets its fields, and does nothing else
};

/// A file of the program.
struct Module {
  std::shared_ptr<const std::string> file;
  std::string package;  ///< its folder, "torchtitan.models.llama3"
  std::string name;     ///< "torchtitan.models.llama3.config_registry"; empty for the main file
  std::vector<Statement> statements{};
  Scope globals{};
  bool is_main = false;  ///< the file with which the program begins
};

}  // namespace pipewright::interop::python
