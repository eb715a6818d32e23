// The kinds of commands, each as functions over a running script.
#pragma once

#include <optional>
#include <span>

#include "interop/shell/condition.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

class Interpreter;

/// Runs assignments, a function, a command that the shell has itself, or another program.
Truth run_simple(Interpreter& shell, const Node& node);

/// Runs what commands are composed with: lists, conditions, loops.
Truth run_compound(Interpreter& shell, const Node& node);

/// A command that the shell follows by itself.
using Builtin = Truth (*)(Interpreter&, const Node&, const std::vector<Text>&);

struct NamedBuiltin {
  std::string_view name;
  Builtin run;
};

/// Returns what `table` has of that name, or null.
Builtin builtin_of(std::span<const NamedBuiltin> table, std::string_view name);

/// Returns the builtin of that name, or null.
Builtin find_builtin(std::string_view name);

/// Returns the command of that name that puts what it reads into variables, or null. Assignments
/// before it are for it alone.
Builtin find_reading_command(std::string_view name);

/// Returns the command of that name that makes a text of others, or null.
Builtin find_text_command(std::string_view name);

/// Returns what a command reads that names no file: a here-document, a file, or what a pipe gives;
/// nothing where that is not known.
std::optional<Text> input_of(Interpreter& shell, const Node& node);

}  // namespace pipewright::shell
