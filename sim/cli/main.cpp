#include <fmt/format.h>

#include <cstdlib>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/live.hpp"
#include "cli/process_memory.hpp"
#include "cli/registry.hpp"
#include "cli/run_program.hpp"
#include "cli/version.hpp"

namespace pipewright::cli {

namespace {

/// The line of a help text that says what the command does: the first after its title.
std::string_view summary(std::string_view help) {
  const size_t start = help.find_first_not_of("\n", help.find('\n'));
  return help.substr(start, help.find('\n', start) - start);
}

void print_overview() {
  fmt::print("{}\n", help_pipewright);
  for (const CommandText& command : command_texts)
    fmt::print("  {:<12} {}\n", command.name, summary(command.help));
  for (const LiveCommand& command : live_commands())
    fmt::print("  {:<12} {}\n", command.name, command.summary);
  fmt::print("\n'pipewright COMMAND --help' explains each.\n");
}

bool asks_for_help(const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "--help" || argument == "-h") return true;
  }
  return false;
}

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string_view> names = live_words();
  for (const CommandText& command : command_texts) names.push_back(command.name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "; 'pipewright --help' lists them";
  throw InputError(fmt::format("unknown command '{}'{}", name, hint));
}

/// Does what a program can that has the help of the command, and not the command.
int run_elsewhere(const CommandText& command, const Arguments& arguments) {
  if (!asks_for_help(arguments))
    throw Failure(fmt::format("'{}' is a command of the whole program: 'ninja -C build pipewright'",
                              command.name));
  fmt::print("{}", command.help);
  return 0;
}

int run(const Command& command, const Arguments& arguments) {
  if (asks_for_help(arguments)) {
    fmt::print("{}", command.explain ? command.explain(arguments) : command.help);
    return 0;
  }
  const char* path = std::getenv("PIPEWRIGHT_PATH");
  return command.run(arguments, {config::Catalogue(path ? path : "")});
}

int run(const Arguments& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    print_overview();
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    fmt::print("{}", version_line());
    return 0;
  }
  if (is_live(words)) start_live(words);
  const Arguments arguments(words.begin() + 1, words.end());
  for (const Command* command : commands())
    if (command->name == words[0]) return run(*command, arguments);
  for (const CommandText& command : command_texts)
    if (command.name == words[0]) return run_elsewhere(command, arguments);
  fail_unknown(words[0]);
}

}  // namespace
}  // namespace pipewright::cli

int main(int argc, char** argv) {
  using namespace pipewright;
  cli::prepare_memory();
  cli::end_on_interrupt();
  return cli::run_program([&] { return cli::run({argv + 1, argv + argc}); });
}
