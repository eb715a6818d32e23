#include <optional>
#include <utility>

#include "interop/shell/assignment.hpp"
#include "interop/shell/commands.hpp"
#include "interop/shell/interpreter.hpp"
#include "interop/shell/other_script.hpp"

namespace pipewright::shell {
namespace {

const Node* find_function(Interpreter& shell, const std::string& name) {
  const auto found = shell.functions().find(name);
  return found == shell.functions().end() ? nullptr : found->second;
}

Truth call(Interpreter& shell, const Node& function, const std::vector<Text>& words) {
  std::vector<Text> arguments(words.begin() + 1, words.end());
  std::swap(shell.environment().positional, arguments);
  Truth truth = shell.run(function);
  shell.flow().end_call();
  shell.environment().positional = std::move(arguments);
  return truth;
}

Truth other_program(Interpreter& shell, const Node& node, const std::vector<Text>& words) {
  shell.lose_output();
  if (const std::optional<Text> script = given_script(words))
    return interpret(shell, written(*script), place_of(*script, node.place));
  shell.outcome().commands.push_back(words);
  return start_script(shell, words);
}

}  // namespace

/// Runs `read` with the IFS that stands before it, which is for it alone.
Truth run_read(Interpreter& shell, const Node& node, const std::vector<Text>& words,
               Builtin builtin) {
  Environment& environment = shell.environment();
  const Variable* said = environment.find("IFS");
  const std::optional<Variable> before = said ? std::optional(*said) : std::nullopt;
  for (const Assignment& assignment : node.assignments)
    assign(assignment, environment, shell.expander());
  Truth truth = builtin(shell, node, words);
  if (node.assignments.empty()) return truth;
  if (before)
    environment.make("IFS") = *before;
  else
    environment.unset("IFS");
  return truth;
}

Truth run_simple(Interpreter& shell, const Node& node) {
  const std::vector<Text> words = shell.expander().words(node.words);
  const std::string name = words.empty() ? std::string() : written(words[0]);
  const Builtin own = find_builtin(name);
  const Builtin builtin = own ? own : find_text_command(name);
  const Node* const function = find_function(shell, name);
  const bool is_other = !words.empty() && !builtin && !function;
  if (builtin && name == "read") return run_read(shell, node, words, builtin);
  // Those of another command are for it alone.
  if (!is_other)
    for (const Assignment& assignment : node.assignments)
      assign(assignment, shell.environment(), shell.expander());
  if (words.empty()) return yes;
  if (function) return call(shell, *function, words);
  return builtin ? builtin(shell, node, words) : other_program(shell, node, words);
}

}  // namespace pipewright::shell
