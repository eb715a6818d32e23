#include <algorithm>
#include <utility>

#include "interop/shell/assignment.hpp"
#include "interop/shell/commands.hpp"
#include "interop/shell/inner_shell.hpp"
#include "interop/shell/interpreter.hpp"
#include "interop/shell/other_script.hpp"

namespace pipewright::shell {
namespace {

const Node* find_function(Interpreter& shell, const std::string& name) {
  const auto found = shell.functions().find(name);
  return found == shell.functions().end() ? nullptr : found->second;
}

bool is_all_arguments(const Part& part) {
  const std::string& name = part.parameter.name;
  return part.kind == Part::Kind::parameter && (name == "@" || name == "*");
}

bool hands_on_arguments(const Node& command) {
  return std::ranges::any_of(command.words, [](const Word& word) {
    return std::ranges::any_of(word.parts, is_all_arguments);
  });
}

/// A function has the arguments of its call and no others, as far as these are known.
Truth call(Interpreter& shell, const Node& function, const Node& command,
           const std::vector<Text>& words) {
  std::vector<Text> arguments(words.begin() + 1, words.end());
  Environment& environment = shell.environment();
  const bool had_all = environment.has_all_arguments;
  environment.has_all_arguments =
      (had_all || !hands_on_arguments(command)) && std::ranges::none_of(arguments, may_be_several);
  std::swap(environment.positional, arguments);
  const size_t shifted = environment.shifted;
  Truth truth = shell.run(function);
  shell.flow().end_call();
  environment.positional = std::move(arguments);
  environment.shifted = shifted;
  environment.has_all_arguments = had_all;
  return truth;
}

/// Keeps the devices that the command sees which is next in the list.
void note_visible_devices(Interpreter& shell, const Node& node) {
  constexpr const char* name = "CUDA_VISIBLE_DEVICES";
  std::map<size_t, Text>& visible = shell.outcome().visible;
  const size_t number = shell.outcome().commands.size();
  visible.erase(number);
  for (const Assignment& assignment : node.assignments)
    if (assignment.name == name) visible[number] = shell.expander().text(assignment.values);
  if (!visible.contains(number) && shell.environment().find(name))
    visible[number] = shell.environment().value_of(name, node.place);
}

/// Keeps the variables before the command that is next in the list.
void note_own_variables(Interpreter& shell, const Node& node) {
  if (node.assignments.empty()) return;
  std::map<std::string, Text>& own = shell.outcome().own_variables[shell.outcome().commands.size()];
  for (const Assignment& assignment : node.assignments)
    own[assignment.name] = shell.expander().text(assignment.values);
}

/// Takes what `env NAME=VALUE ... COMMAND` sets, as far as it is known.
void take_variables_of_env(Interpreter& shell, const std::vector<Text>& words) {
  if (words.empty() || written(words[0]) != "env") return;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = written(words[i]);
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return;
    if (word.find("${") != std::string::npos) continue;
    const std::string name = word.substr(0, equals);
    shell.environment().set(name, text_of(word.substr(equals + 1), place_of(words[i], {})));
    shell.environment().give(name);
  }
}

/// Runs what a command starts: it sees the variables before the command, and nothing else does.
template <class Run>
Truth with_own_variables(Interpreter& shell, const Node& node, const std::vector<Text>& words,
                         const Run& run) {
  const bool is_env = !words.empty() && written(words[0]) == "env";
  if (node.assignments.empty() && !is_env) return run();
  const InnerShell inner(shell);
  for (const Assignment& assignment : node.assignments) {
    assign(assignment, shell.environment(), shell.expander());
    shell.environment().give(assignment.name);
  }
  take_variables_of_env(shell, words);
  return run();
}

Truth other_program(Interpreter& shell, const Node& node, const std::vector<Text>& words) {
  shell.lose_output();
  const std::optional<Text> given = given_script(words);
  std::optional<Text> read = given ? std::nullopt : wrapped_script(words);
  if (!given && !read) read = script_read(shell, node, words);
  if (!given && !read) {
    note_visible_devices(shell, node);
    note_own_variables(shell, node);
    shell.outcome().commands.push_back(words);
    shell.outcome().variables.push_back(shell.environment().given_on());
  }
  return with_own_variables(shell, node, words, [&] {
    if (given) return interpret(shell, written(*given), place_of(*given, node.place));
    return read ? start_given(shell, *read, words, node.place) : start_script(shell, words);
  });
}

/// Returns the words without a `sudo` and its options before a command that the shell follows.
std::vector<Text> without_sudo(std::vector<Text> words) {
  if (words.empty() || written(words[0]) != "sudo") return words;
  size_t at = 1;
  while (at < words.size() && written(words[at]).starts_with('-')) {
    const std::string option = written(words[at]);
    at += option == "-u" || option == "-g" ? 2 : 1;
  }
  if (at >= words.size() || !find_text_command(written(words[at]))) return words;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  return words;
}

}  // namespace

Truth run_simple(Interpreter& shell, const Node& node) {
  const std::vector<Text> words = without_sudo(shell.expander().words(node.words));
  const std::string name = words.empty() ? std::string() : written(words[0]);
  const Builtin reading = find_reading_command(name);
  if (reading) return reading(shell, node, words);
  const Builtin own = find_builtin(name);
  const Builtin builtin = own ? own : find_text_command(name);
  const Node* const function = find_function(shell, name);
  const bool is_other = !words.empty() && !builtin && !function;
  // Those of another command are for it alone.
  if (!is_other)
    for (const Assignment& assignment : node.assignments)
      assign(assignment, shell.environment(), shell.expander());
  if (words.empty()) return yes;
  if (function) return call(shell, *function, node, words);
  return builtin ? builtin(shell, node, words) : other_program(shell, node, words);
}

}  // namespace pipewright::shell
