// Commands that put what they read into variables: read, mapfile, getopts.
#include <optional>
#include <utility>

#include "interop/shell/assignment.hpp"
#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/fields.hpp"
#include "interop/shell/interpreter.hpp"

namespace pipewright::shell {
namespace {

using Words = std::vector<Text>;

/// What is read is not known, nor whether there is something.
Truth read_unknown(Interpreter& shell, const Node& node, const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string name = written(words[i]);
    if (!name.empty() && in_name(name[0]) && !is_digit(name[0]))
      shell.environment().set(name, text_of(Unknown{"what is read", name, false}, node.place));
  }
  return Truth::open("what is read");
}

/// mapfile does not fail where nothing is left to read.
Truth read_all(Interpreter& shell, const Node& node, const Words& words) {
  read_unknown(shell, node, words);
  return yes;
}

Truth read_options(Interpreter& shell, const Node& node, const Words& words) {
  return shell.environment().positional.empty() ? Truth::of(false)
                                                : read_unknown(shell, node, words);
}

/// What `read` is asked for.
struct Reading {
  std::vector<std::string> names;
  bool into_list = false;  ///< -a
};

Reading reading_of(const Words& words) {
  Reading reading;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = written(words[i]);
    const bool is_option = word.starts_with('-') && word.size() > 1;
    if (!is_option) reading.names.push_back(word);
    if (is_option && word.ends_with('a')) reading.into_list = true;
    // -d, -n, -N, -p, -t and -u have a value.
    if (is_option && std::string_view("dnNptu").find(word.back()) != std::string_view::npos) ++i;
  }
  if (reading.names.empty()) reading.names.emplace_back("REPLY");
  return reading;
}

/// The words of a line as IFS splits it.
Words split_line(Interpreter& shell, Text line) {
  Fields fields(true, separators_of(shell.environment()));
  fields.add_value(std::move(line), false);
  return fields.take();
}

/// Returns the first line of what a here-document or here-string gives; nothing where there is
/// none, or it is not known.
std::optional<Text> line_given(Interpreter& shell, const Node& node) {
  for (const Redirection& one : node.redirections) {
    if (one.operation != "<<<" && one.operation != "<<") continue;
    const Text text = shell.expander().text(one.target);
    const auto whole = known(text);
    if (!whole || unknown_in(text)) return std::nullopt;
    return text_of(whole->substr(0, whole->find('\n')), place_of(text, node.place));
  }
  return std::nullopt;
}

/// Each name is a word of the line, the last one all that are left.
Truth read(Interpreter& shell, const Node& node, const Words& words) {
  const std::optional<Text> line = line_given(shell, node);
  if (!line) return read_unknown(shell, node, words);
  const Reading reading = reading_of(words);
  Words parts = split_line(shell, *line);
  Environment& environment = shell.environment();
  if (reading.into_list) {
    Variable& list = environment.make(reading.names[0]);
    list = {};
    list.is_array = true;
    for (size_t i = 0; i < parts.size(); ++i) list.set(std::to_string(i), parts[i]);
    return yes;
  }
  for (size_t i = 0; i < reading.names.size(); ++i) {
    const bool is_last = i + 1 == reading.names.size();
    Text value = i < parts.size() ? parts[i] : text_of("", node.place);
    if (is_last && i < parts.size()) value = joined_by_blanks(parts, i, node.place);
    environment.set(reading.names[i], value);
  }
  return yes;
}

/// Runs `read` with the IFS that stands before it, which is for it alone.
Truth read_line(Interpreter& shell, const Node& node, const Words& words) {
  Environment& environment = shell.environment();
  const Variable* said = environment.find("IFS");
  const std::optional<Variable> before = said ? std::optional(*said) : std::nullopt;
  for (const Assignment& assignment : node.assignments)
    assign(assignment, environment, shell.expander());
  Truth truth = read(shell, node, words);
  if (node.assignments.empty()) return truth;
  if (before)
    environment.make("IFS") = *before;
  else
    environment.unset("IFS");
  return truth;
}

constexpr NamedBuiltin reading_commands[] = {
    {"read", read_line}, {"mapfile", read_all}, {"readarray", read_all}, {"getopts", read_options}};

}  // namespace

Builtin find_reading_command(std::string_view name) { return builtin_of(reading_commands, name); }

}  // namespace pipewright::shell
