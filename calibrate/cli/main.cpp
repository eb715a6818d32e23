// pipewright-live: the commands that touch a live machine. 'pipewright' starts it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/launcher.hpp"
#include "base/text.hpp"
#include "calibrate/cli/registry.hpp"
#include "cli/interrupt.hpp"
#include "cli/run_program.hpp"

namespace pipewright::cli {
namespace {

/// What follows the command's words, where `words` begin with them.
std::optional<Arguments> arguments_of(const Command& command, const Arguments& words) {
  std::istringstream name{std::string(command.name)};
  size_t count = 0;
  for (std::string word; name >> word; ++count)
    if (count == words.size() || words[count] != word) return std::nullopt;
  return Arguments(words.begin() + static_cast<long>(count), words.end());
}

bool asks_for_help(const Arguments& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

/// A command that another starts leaves Ctrl-C to it, and one of several processes to the launcher.
bool answers_interrupts(const Command& command) {
  return !command.help.starts_with("pipewright-live") && !started_by_launcher();
}

int run(const Arguments& words) {
  std::vector<std::string_view> names;
  for (const Command* command : live_program::registry) {
    names.push_back(command->name);
    const std::optional<Arguments> arguments = arguments_of(*command, words);
    if (!arguments) continue;
    if (asks_for_help(*arguments)) {
      fmt::print("{}", command->help);
      return 0;
    }
    if (answers_interrupts(*command)) end_on_interrupt();
    const char* path = std::getenv("PIPEWRIGHT_PATH");
    return command->run(*arguments, {config::Catalogue(path ? path : "")});
  }
  throw InputError("pipewright-live knows these commands: " + join(names));
}

}  // namespace
}  // namespace pipewright::cli

int main(int argc, char** argv) {
  using namespace pipewright;
  return cli::run_program([&] { return cli::run({argv + 1, argv + argc}); });
}
