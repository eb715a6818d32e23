#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/live.hpp"
#include "cli/registry.hpp"
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

/// Arrays of many MiB come and go: kept, their pages need not be asked for and cleared again.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

int report(const char* line, int status) {
  std::fflush(stdout);
  const std::string text = printable(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);  // which may be closed
  return status;
}

constexpr char out_of_memory[] =
    "error: out of memory: the experiment is too large for this machine";

/// Ends the program where an exception is caught nowhere. The destructor of a library's value may
/// need memory; want of it is no mistake of the program.
[[noreturn]] void end_uncaught() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception())
      std::rethrow_exception(uncaught);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s\n", out_of_memory);
    std::_Exit(1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: uncaught: %s\n", error.what());
  }
  std::abort();
}

}  // namespace
}  // namespace pipewright::cli

int main(int argc, char** argv) {
  using namespace pipewright;
  cli::keep_freed_memory();
  cli::end_on_interrupt();
  std::set_terminate(cli::end_uncaught);
  try {
    const int status = cli::run({argv + 1, argv + argc});
    // A reader that went away, or a full disk, is a failure too.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw Failure("cannot write the output");
    return status;
  } catch (const InputError& error) {
    return cli::report(error.what(), 2);
  } catch (const std::bad_alloc&) {
    return cli::report(cli::out_of_memory, 1);
  } catch (const std::exception& error) {
    return cli::report(fmt::format("error: {}", error.what()).c_str(), 1);
  }
}
