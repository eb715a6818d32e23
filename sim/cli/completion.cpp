// Completion scripts. Options are those that the help texts name, keys those of the table of
// options. What else arguments may name is said by each command.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "cli/help.hpp"
#include "cli/live.hpp"
#include "cli/options.hpp"
#include "cli/registry.hpp"
#include "experiment/option_texts.hpp"

namespace pipewright::cli {
namespace {

using Words = std::set<std::string>;

constexpr std::array<std::string_view, 3> shells = {"bash", "zsh", "fish"};

std::string spaced(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

void add_options_in(std::string_view line, Words& found) {
  for (size_t at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
    size_t end = at + 2;
    while (end < line.size() && (std::islower(line[end]) || line[end] == '-')) ++end;
    if (end > at + 2) found.emplace(line.substr(at, end - at));
  }
}

/// Tells whether the line calls the command or is a row of a table of options. Other lines may name
/// options of other programs.
bool names_options(std::string_view line, std::string_view command) {
  const size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return false;
  const std::string_view text = line.substr(first);
  return text.starts_with("pipewright") ||
         (first > 0 && (text.starts_with('-') || text.starts_with(command)));
}

void add_options_of(std::string_view command, std::string_view help, Words& found) {
  while (!help.empty()) {
    const std::string_view line = help.substr(0, help.find('\n'));
    if (names_options(line, command)) add_options_in(line, found);
    help.remove_prefix(std::min(help.size(), line.size() + 1));
  }
}

/// "--json" and the like, as the help texts of a command name them, with what `words` add.
Words options_of(const Command& command, const Words& words) {
  Words found = {"--help"};
  add_options_of(command.name, command.help, found);
  if (command.explain)
    for (const std::string& word : words)
      add_options_of(command.name, command.explain({word}), found);
  return found;
}

Words command_names() {
  Words names;
  for (const Command* command : commands()) names.emplace(command->name);
  for (const std::string_view name : live_words()) names.emplace(name);
  return names;
}

Words keys() {
  Words paths;
  for (const OptionText& option : option_texts()) paths.emplace(option.path);
  return paths;
}

/// What the arguments of a command may name besides files.
Words words_of(const Command& command, const config::Catalogue& catalogue) {
  Words words;
  if (command.words)
    for (std::string& word : command.words(catalogue)) words.insert(std::move(word));
  for (const LiveCommand& live : live_commands())
    if (live.name.starts_with(fmt::format("{} ", command.name)))
      words.emplace(live.name.substr(command.name.size() + 1));
  return words;
}

std::string bash_cases(const config::Catalogue& catalogue) {
  std::string text;
  for (const Command* command : commands()) {
    const Words words = words_of(*command, catalogue);
    text += fmt::format("    {}) options='{}' names='{}' ;;\n", command->name,
                        spaced(options_of(*command, words)), spaced(words));
  }
  return text;
}

std::string bash(const config::Catalogue& catalogue) {
  return fmt::format(R"(# bash completion for pipewright; made by 'pipewright completion bash'
_pipewright() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options= names=
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '{0} --help --version' -- "$word"))
    return
  fi
  if [[ $before == --set ]]; then
    compopt -o nospace
    COMPREPLY=($(compgen -S = -W '{1}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _pipewright pipewright
)",
                     spaced(command_names()), spaced(keys()), bash_cases(catalogue));
}

/// zsh runs completions that are written for bash.
std::string zsh(const config::Catalogue& catalogue) {
  return "#compdef pipewright\nautoload -U +X bashcompinit && bashcompinit\n" + bash(catalogue);
}

std::string fish(const config::Catalogue& catalogue) {
  std::string text = "# fish completion for pipewright; made by 'pipewright completion fish'\n";
  text += fmt::format("complete -c pipewright -n __fish_use_subcommand -a '{}'\n",
                      spaced(command_names()));
  for (const Command* command : commands()) {
    const std::string when =
        fmt::format("complete -c pipewright -n '__fish_seen_subcommand_from {}'", command->name);
    const Words words = words_of(*command, catalogue);
    for (const std::string& option : options_of(*command, words))
      text += option == "--set"
                  ? fmt::format("{} -l set -x -a '{}='\n", when, fmt::join(keys(), "= "))
                  : fmt::format("{} -l {}\n", when, option.substr(2));
    if (!words.empty()) text += fmt::format("{} -a '{}'\n", when, spaced(words));
  }
  return text;
}

int print_completion(const Arguments& arguments, const Environment& environment) {
  options::options_description description;
  std::string shell;
  description.add_options()("shell", options::value(&shell));
  parse(arguments, description, "shell", 1);
  if (std::find(shells.begin(), shells.end(), shell) == shells.end())
    throw InputError(shell.empty() ? "completion needs a shell: bash, zsh or fish"
                                   : fmt::format("unknown shell '{}'; one of bash, zsh, fish{}",
                                                 shell, did_you_mean(shell, shells)));
  const config::Catalogue& catalogue = environment.catalogue;
  fmt::print("{}", shell == "bash"  ? bash(catalogue)
                   : shell == "zsh" ? zsh(catalogue)
                                    : fish(catalogue));
  return 0;
}

}  // namespace

const Command command::completion_command{.name = "completion",
                                          .help = help_completion,
                                          .run = print_completion,
                                          .words = [](const config::Catalogue&) {
                                            return std::vector<std::string>(shells.begin(),
                                                                            shells.end());
                                          }};

}  // namespace pipewright::cli
