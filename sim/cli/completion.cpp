// Completion scripts. Options are those that the help texts name, keys those of the table of
// options, names those of the catalogue.
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

std::string spaced(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

void add_options_in(std::string_view line, Words& found) {
  for (size_t at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
    size_t end = at + 2;
    while (end < line.size() && (std::islower(line[end]) || line[end] == '-')) ++end;
    if (end > at + 2) found.emplace(line.substr(at, end - at));
  }
}

/// "--json" and the like, as a help text names them. Lines about mpirun name options of its own.
Words options_in(std::string_view help) {
  Words found = {"--help"};
  while (!help.empty()) {
    const std::string_view line = help.substr(0, help.find('\n'));
    if (line.find("mpirun") == std::string_view::npos) add_options_in(line, found);
    help.remove_prefix(std::min(help.size(), line.size() + 1));
  }
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

/// What a command's first word names.
Words names_for(std::string_view command, const config::Catalogue& catalogue) {
  Words names;
  const auto add = [&](std::string_view kind) {
    for (const std::string& name : catalogue.names(kind)) names.insert(name);
  };
  if (command == "help") return keys();
  if (command == "sweep") add("studies");
  if (command == "reproduce") add("papers");
  if (command == "collective") add("clusters"), add("nodes");
  if (command == "simulate" || command == "compare" || command == "plan") add("experiments");
  return names;
}

std::string bash_cases(const config::Catalogue& catalogue) {
  std::string text;
  for (const Command* command : commands())
    text +=
        fmt::format("    {}) options='{}' names='{}' ;;\n", command->name,
                    spaced(options_in(command->help)), spaced(names_for(command->name, catalogue)));
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
    for (const std::string& option : options_in(command->help))
      text += option == "--set"
                  ? fmt::format("{} -l set -x -a '{}='\n", when, fmt::join(keys(), "= "))
                  : fmt::format("{} -l {}\n", when, option.substr(2));
    if (const Words names = names_for(command->name, catalogue); !names.empty())
      text += fmt::format("{} -a '{}'\n", when, spaced(names));
  }
  return text;
}

int print_completion(const Arguments& arguments, const Environment& environment) {
  options::options_description description;
  std::string shell;
  description.add_options()("shell", options::value(&shell));
  parse(arguments, description, "shell", 1);
  constexpr std::array<std::string_view, 3> shells = {"bash", "zsh", "fish"};
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

const Command command::completion_command{"completion", help_completion, print_completion};

}  // namespace pipewright::cli
