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
  if (words.empty()) return false;
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

/// While it lives, what runs is a job that SLURM is given: its options are those of its script up
/// to the first command, and over them those of sbatch.
class QueuedJob {
 public:
  QueuedJob(Interpreter& shell, const std::vector<Text>& words, std::string_view script)
      : shell_(shell), first_(shell.outcome().commands.size()), is_queued_(queues(words)) {
    if (!is_queued_) return;
    while (script.starts_with('#') || script.starts_with('\n')) {
      const size_t end = std::min(script.find('\n'), script.size() - 1) + 1;
      header_ += script.substr(0, end);
      script.remove_prefix(end);
    }
    header_ += "\n#SBATCH";
    for (size_t i = 1; i < words.size(); ++i) header_ += ' ' + written(words[i]);
    if (!shell.surroundings().scheduler) return;
    for (const auto& [name, value] : shell.surroundings().scheduler(header_))
      if (value.find("${") == std::string::npos)  // what is not known
        shell.environment().set(name, text_of(value, {}));
  }
  ~QueuedJob() {
    Outcome& outcome = shell_.outcome();
    for (size_t i = first_; is_queued_ && i < outcome.commands.size(); ++i)
      outcome.queued.try_emplace(i, header_);
  }
  QueuedJob(const QueuedJob&) = delete;
  QueuedJob& operator=(const QueuedJob&) = delete;

 private:
  Interpreter& shell_;
  size_t first_;
  bool is_queued_;
  std::string header_;
};

/// Returns where the words of a command name a script, or their end.
std::vector<Text>::const_iterator script_in(Interpreter& shell, const std::vector<Text>& words) {
  return std::find_if(words.begin(), words.end(), [&](const Text& word) {
    const std::string text = written(word);
    if (text.ends_with(".sh")) return true;
    return queues(words) && &word != &words.front() && !text.starts_with('-') && shell.file(text);
  });
}

/// Tells whether the script that `named` names runs, and is not copied or looked at.
bool is_started(const std::vector<Text>& words, std::vector<Text>::const_iterator named) {
  return named == words.begin() || queues(words) || is_shell(written(*(named - 1)));
}

/// bcprun of NVIDIA's Base Command gives a shell what follows -c, among options with values.
std::optional<Text> script_of_bcprun(const std::vector<Text>& words) {
  if (words.empty() || written(words.front()) != "bcprun") return std::nullopt;
  for (size_t i = 1; i + 1 < words.size(); ++i)
    if (written(words[i]) == "-c" || written(words[i]) == "--cmd") return words[i + 1];
  return std::nullopt;
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
  if (const auto script = script_of_bcprun(words)) return script;
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

Truth start_given(Interpreter& shell, const Text& script, const std::vector<Text>& words,
                  const Place& place) {
  const InnerShell inner(shell);
  const QueuedJob job(shell, words, written(script));
  const Truth truth = interpret(shell, written(script), place_of(script, place));
  shell.flow().exited = false;
  return truth;
}

Truth start_script(Interpreter& shell, const std::vector<Text>& words) {
  const auto named = script_in(shell, words);
  if (named == words.end()) return Truth::of(true);
  const std::string path = written(*named);
  // A job that queues itself again, as `sbatch $0`, says nothing new.
  if (path == written(shell.environment().script)) return Truth::of(true);
  const std::optional<std::string> text = text_at(shell, path);
  if (!text && is_started(words, named))
    shell.outcome().not_started.emplace(path, place_of(*named, {}));
  if (!text || shell.depth() > deepest_script) return Truth::of(false);
  const InnerShell inner(shell);
  shell.environment().positional = {named + 1, words.end()};
  shell.environment().shifted = 0;
  shell.environment().has_all_arguments = false;
  shell.environment().script = text_of(path, {});
  const QueuedJob job(shell, {words.begin(), named}, *text);
  shell.run_script(*text, start_of(path));
  shell.flow().exited = false;
  return Truth::of(true);
}

}  // namespace pipewright::shell
