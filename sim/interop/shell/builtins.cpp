// Commands that a launch script's text decides: assignments, tests, texts that are printed, paths.
#include <algorithm>
#include <optional>
#include <utility>

#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/interpreter.hpp"
#include "interop/shell/other_script.hpp"
#include "interop/words.hpp"

namespace pipewright::shell {
namespace {

using Words = std::vector<Text>;

Truth nothing(Interpreter&, const Node&, const Words&) { return yes; }
Truth fails(Interpreter&, const Node&, const Words&) { return Truth::of(false); }

/// Tells whether it is `export`, but for `export -n`, or `declare` with x among its flags.
bool exports(const Words& words) {
  const auto has_flag = [&](char letter) {
    return std::any_of(words.begin() + 1, words.end(), [&](const Text& word) {
      const std::string text = written(word);
      return text.starts_with('-') && text.find(letter) != std::string::npos;
    });
  };
  return written(words.front()) == "export" ? !has_flag('n') : has_flag('x');
}

/// Programs are given what it names.
void note_exports(Interpreter& shell, const Node& node, const Words& words) {
  if (!exports(words)) return;
  for (const Assignment& assignment : node.assignments) shell.environment().give(assignment.name);
  for (size_t i = 1; i < words.size(); ++i)
    if (!written(words[i]).starts_with('-')) shell.environment().give(written(words[i]));
}

/// export, declare, local: assignments are made already; -A makes a map.
Truth declare(Interpreter& shell, const Node& node, const Words& words) {
  note_exports(shell, node, words);
  const bool is_map = std::any_of(words.begin(), words.end(),
                                  [](const Text& word) { return written(word) == "-A"; });
  if (!is_map) return yes;
  for (const Assignment& assignment : node.assignments)
    shell.environment().make(assignment.name).is_map = true;
  for (size_t i = 1; i < words.size(); ++i)
    if (!written(words[i]).starts_with('-'))
      shell.environment().make(written(words[i])).is_map = true;
  return yes;
}

Truth unset(Interpreter& shell, const Node&, const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) shell.environment().unset(written(words[i]));
  return yes;
}

/// Whether an option of `set` is -a, alone or among other letters, or is what -o names.
bool gives_all(const Words& words, size_t at) {
  const std::string option = written(words[at]);
  if (option == "-o" || option == "+o")
    return at + 1 < words.size() && written(words[at + 1]) == "allexport";
  return option.find('a') != std::string::npos;
}

/// set -- ... and set -a; its other flags change how Bash fails.
Truth set(Interpreter& shell, const Node&, const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string option = written(words[i]);
    const bool is_option = option.size() > 1 && (option[0] == '-' || option[0] == '+');
    if (!is_option || option == "--") break;
    if (gives_all(words, i)) shell.environment().give_all(option[0] == '-');
    if (option == "-o" || option == "+o") ++i;
  }
  if (words.size() > 1 && written(words[1]) == "--")
    shell.environment().positional = {words.begin() + 2, words.end()};
  return yes;
}

Truth shift(Interpreter& shell, const Node&, const Words& words) {
  Words& positional = shell.environment().positional;
  const std::string by = words.size() > 1 ? written(words[1]) : "1";
  const size_t count = by.size() == 1 && is_digit(by[0]) ? static_cast<size_t>(by[0] - '0') : 1;
  const size_t cut = std::min(count, positional.size());
  positional.erase(positional.begin(), positional.begin() + static_cast<std::ptrdiff_t>(cut));
  shell.environment().shifted += count;
  return Truth::of(cut == count);
}

Truth source(Interpreter& shell, const Node& node, const Words& words) {
  if (words.size() < 2) return yes;
  return include(shell, written(words[1]), place_of(words[1], node.place),
                 {words.begin() + 2, words.end()});
}

Truth eval(Interpreter& shell, const Node& node, const Words& words) {
  return interpret(shell, written(joined_by_blanks(words, 1, node.place)), node.place);
}

Truth leave(Interpreter& shell, const Node& node, const Words& words) {
  shell.leave(node.place);
  shell.flow().failed = words.size() > 1 && written(words[1]) != "0";
  return yes;
}

Truth jump(Interpreter& shell, const Node&, const Words& words) {
  shell.flow().jump = written(words[0])[0];
  return words.size() > 1 ? Truth::of(written(words[1]) == "0") : yes;
}

Truth brackets(Interpreter& shell, const Node& node, const Words& words) {
  Words inside(words.begin() + 1, words.end());
  if (written(words[0]) == "[") {
    if (inside.empty() || written(inside.back()) != "]") Cursor::fail(node.place, "']' is missing");
    inside.pop_back();
  }
  return test(inside, false, node.place, shell.environment());
}

Truth let(Interpreter& shell, const Node& node, const Words& words) {
  Truth truth = yes;
  for (size_t i = 1; i < words.size(); ++i) {
    const auto text = known(words[i]);
    if (!text) continue;
    truth = Truth::of(evaluate(*text, node.place, shell.environment()).value != 0);
  }
  return truth;
}

Truth echo(Interpreter& shell, const Node& node, const Words& words) {
  size_t from = 1;
  while (from < words.size() && (written(words[from]) == "-n" || written(words[from]) == "-e"))
    ++from;
  if (!shell.is_printing()) return yes;
  shell.print(joined_by_blanks(words, from, node.place));
  shell.print(text_of("\n", node.place));
  return yes;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// dirname, basename, realpath, readlink -f: of the last word.
Truth path_of(Interpreter& shell, const Node& node, const Words& words) {
  if (words.size() < 2) return yes;
  const std::string name = written(words[0]), path = written(words.back());
  if (!known(words.back()) || unknown_in(words.back())) {
    shell.print(words.back());
    return yes;
  }
  const size_t slash = path.find_last_of('/');
  std::string result = path;
  if (name == "dirname") result = folder_of(path);
  if (name == "basename" && slash != std::string::npos) result = path.substr(slash + 1);
  shell.print(text_of(result + "\n", place_of(words.back(), node.place)));
  return yes;
}

Truth change_folder(Interpreter& shell, const Node&, const Words& words) {
  if (words.size() > 1) shell.environment().folder = written(words.back());
  return yes;
}

Truth print_folder(Interpreter& shell, const Node& node, const Words&) {
  const std::string& folder = shell.environment().folder;
  shell.print(folder.empty() ? text_of(Unknown{"$(pwd)", "PWD", false}, node.place)
                             : text_of(folder, node.place));
  return yes;
}

/// expr: the shell's arithmetic with a blank between words.
Truth expr(Interpreter& shell, const Node& node, const Words& words) {
  const Text expression = joined_by_blanks(words, 1, node.place);
  const auto text = known(expression);
  const auto reason = unknown_in(expression);
  const Amount amount =
      text && !reason ? evaluate(*text, node.place, shell.environment()) : Amount{0, reason};
  shell.print(amount.unknown ? text_of(*amount.unknown, node.place)
                             : text_of(std::to_string(amount.value) + "\n", node.place));
  return yes;
}

/// Returns the whole numbers that words are; nothing where one is something else.
std::optional<std::vector<int64_t>> whole_numbers(const Words& words) {
  constexpr int64_t most = 1'000'000'000;
  std::vector<int64_t> numbers;
  for (size_t i = 1; i < words.size(); ++i) {
    const auto number = interop::number_of<int64_t>(written(words[i]));
    if (!number || *number > most || *number < -most) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// seq LAST, seq FIRST LAST, seq FIRST STEP LAST.
Truth sequence(Interpreter& shell, const Node& node, const Words& words) {
  constexpr size_t longest = 100'000;  // characters
  const std::vector<int64_t> numbers = whole_numbers(words).value_or(std::vector<int64_t>());
  const size_t count = numbers.size();
  const int64_t step = count == 3 ? numbers[1] : 1;
  std::string text;
  if (count == 0 || count > 3 || step == 0) {
    shell.lose_output();
    return yes;
  }
  const int64_t first = count > 1 ? numbers.front() : 1, last = numbers.back();
  for (int64_t n = first; step > 0 ? n <= last : n >= last; n += step) {
    text += std::to_string(n) + '\n';
    if (text.size() <= longest) continue;
    shell.lose_output();
    return yes;
  }
  shell.print(text_of(text, node.place));
  return yes;
}

/// Words before a command that change nothing of it.
Truth prefixed(Interpreter& shell, const Node& node, const Words& words) {
  Node rest = node;
  rest.words.erase(rest.words.begin());
  rest.assignments.clear();
  return words.size() > 1 ? shell.run(rest) : yes;
}

constexpr NamedBuiltin builtins[] = {
    {":", nothing},        {"true", nothing},     {"false", fails},      {"export", declare},
    {"declare", declare},  {"local", declare},    {"readonly", declare}, {"typeset", declare},
    {"unset", unset},      {"set", set},          {"shift", shift},      {"source", source},
    {".", source},         {"eval", eval},        {"exit", leave},       {"return", jump},
    {"break", jump},       {"continue", jump},    {"[", brackets},       {"test", brackets},
    {"let", let},          {"echo", echo},        {"dirname", path_of},  {"basename", path_of},
    {"realpath", path_of}, {"readlink", path_of}, {"cd", change_folder}, {"pushd", change_folder},
    {"popd", nothing},     {"pwd", print_folder}, {"expr", expr},        {"seq", sequence},
    {"exec", prefixed},    {"nohup", prefixed},   {"command", prefixed}, {"time", prefixed},
    {"trap", nothing},     {"shopt", nothing},    {"ulimit", nothing},   {"wait", nothing},
    {"mkdir", nothing},    {"sleep", nothing},    {"umask", nothing},    {"alias", nothing}};

}  // namespace

Builtin builtin_of(std::span<const NamedBuiltin> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &NamedBuiltin::name);
  return found == table.end() ? nullptr : found->run;
}

Builtin find_builtin(std::string_view name) { return builtin_of(builtins, name); }

}  // namespace pipewright::shell
