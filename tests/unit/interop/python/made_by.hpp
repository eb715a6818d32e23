// What functions of small programs give.
#pragma once

#include <fmt/format.h>

#include "interop/python/program.hpp"

namespace pipewright::test {

/// Writes a value as Python would; what is not known is ?NAME.
inline std::string python_text(const interop::python::Value& value) {
  namespace python = interop::python;
  if (const auto text = python::plain_text(value))
    return value.as<std::string>() ? "'" + *text + "'" : *text;
  if (const auto* symbol = value.as<python::Symbol>()) return symbol->name;
  if (const auto* unknown = value.as<python::Unknown>()) return "?" + unknown->written;
  if (value.closure()) return "a function";
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  if (const python::List* list = value.list()) {
    for (const python::Value& item : list->items) add(python_text(item));
    return "[" + text + "]";
  }
  const python::Object& object = *value.object();
  for (const python::Value& argument : object.arguments) add(python_text(argument));
  for (const auto& [name, field] : object.fields)
    if (!field.object() || !field.object()->is_nothing())
      add(fmt::format("{}={}", name, python_text(field)));
  return fmt::format("{}({})", python::last_name(object.type), text);
}

/// Returns what the last function of a program gives.
inline std::string made_by(const std::string& text,
                           interop::python::Surroundings surroundings = {}) {
  interop::python::Program program(text, "run.py", std::move(surroundings));
  return python_text(program.call(program.functions().back()));
}

/// Returns the value of an expression.
inline std::string value_in_python(const std::string& expression) {
  return made_by("def f():\n    return " + expression + "\n");
}

}  // namespace pipewright::test
