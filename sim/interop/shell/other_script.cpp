#include "interop/shell/other_script.hpp"

#include <algorithm>
#include <utility>

#include "interop/shell/commands.hpp"
#include "interop/shell/cursor.hpp"
#include "interop/shell/inner_shell.hpp"

namespace pipewright::shell {
namespace {

constexpr int deepest_script = 60;

bool is_shell(const std::string& word) {
  return word == "bash" || word == "sh" || word.ends_with("/bash") || word.ends_with("/sh");
}

/// Whether it is -x and its like.
bool is_flag(const Text& word) {
  const std::string text = written(word);
  return text.starts_with('-') && !text.starts_with("--");
}

/// Whether it is SLURM's command that queues a script.
bool queues(const std::vector<Text>& words) {
  const std::string program = written(words.front());
  return program == "sbatch" || program.ends_with("/sbatch");
}

std::optional<std::string> text_at(Interpreter& shell, const std::string& path) {
  const std::optional<Text> text = shell.file(path);
  return text ? std::optional(written(*text)) : std::nullopt;
}

Place start_of(const std::string& path) {
  return {std::make_shared<const std::string>(path), 1, 1};
}

}  // namespace

Truth interpret(Interpreter& shell, const std::string& text, const Place& place) {
  if (shell.depth() > deepest_script) Cursor::fail(place, "this starts itself without end");
  return shell.run_script(text, place);
}

Truth include(Interpreter& shell, const std::string& path, const Place& place,
              const std::vector<Text>& arguments) {
  if (shell.depth() > deepest_script) Cursor::fail(place, "'" + path + "' is sourced by itself");
  const std::optional<std::string> text = text_at(shell, path);
  if (!text) {
    shell.outcome().missing.emplace(path, place);
    return Truth::of(true);
  }
  Environment& environment = shell.environment();
  const Text script = std::exchange(environment.script, text_of(path, place));
  const std::vector<Text> before = environment.positional;
  if (!arguments.empty()) environment.positional = arguments;
  Truth truth = shell.run_script(*text, start_of(path));
  environment.positional = before;
  environment.script = script;
  shell.flow().end_call();
  return truth;
}

std::optional<Text> given_script(const std::vector<Text>& words) {
  for (size_t i = 0; i + 2 < words.size(); ++i) {
    if (!is_shell(written(words[i]))) continue;
    for (size_t at = i + 1; at + 1 < words.size() && is_flag(words[at]); ++at)
      if (written(words[at]).ends_with('c')) return words[at + 1];
  }
  return std::nullopt;
}

std::optional<Text> script_read(Interpreter& shell, const Node& node,
                                const std::vector<Text>& words) {
  const auto last = std::find_if(words.rbegin(), words.rend(),
                                 [](const Text& word) { return !written(word).starts_with('-'); });
  const bool reads = queues(words) || (last != words.rend() && is_shell(written(*last)));
  return reads ? input_of(shell, node) : std::nullopt;
}

std::optional<Text> wrapped_script(const std::vector<Text>& words) {
  constexpr std::string_view option = "--wrap";
  for (size_t i = 1; queues(words) && i < words.size(); ++i) {
    const std::string word = written(words[i]);
    if (word == option && i + 1 < words.size()) return words[i + 1];
    if (word.starts_with(option) && word[option.size()] == '=')
      return text_of(word.substr(option.size() + 1), place_of(words[i], {}));
  }
  return std::nullopt;
}

Truth start_given(Interpreter& shell, const Text& script, const Place& place) {
  const InnerShell inner(shell);
  const Truth truth = interpret(shell, written(script), place_of(script, place));
  shell.flow().exited = false;
  return truth;
}

Truth start_script(Interpreter& shell, const std::vector<Text>& words) {
  const auto named = std::find_if(words.begin(), words.end(),
                                  [](const Text& word) { return written(word).ends_with(".sh"); });
  if (named == words.end()) return Truth::of(true);
  const std::string path = written(*named);
  // A job that queues itself again, as `sbatch $0`, says nothing new.
  if (path == written(shell.environment().script)) return Truth::of(true);
  const std::optional<std::string> text = text_at(shell, path);
  if (!text || shell.depth() > deepest_script) return Truth::of(false);
  const InnerShell inner(shell);
  shell.environment().positional = {named + 1, words.end()};
  shell.environment().script = text_of(path, {});
  shell.run_script(*text, start_of(path));
  shell.flow().exited = false;
  return Truth::of(true);
}

}  // namespace pipewright::shell
