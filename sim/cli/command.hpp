// The commands of the program: one .cpp and one .md, which is its --help, for each.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/outcome.hpp"
#include "config/catalogue.hpp"

namespace pipewright::cli {

using Arguments = std::vector<std::string>;

/// Who waits for a command, and may lose patience.
struct Caller {
  const std::atomic<bool>* stop = nullptr;  ///< begin no further run once it is true
  /// Is told how many runs are done, of how many; empty: a line on the terminal.
  std::function<void(int64_t done, int64_t total)> progress = {};
};

/// The environment that every command is given besides its arguments.
struct Environment {
  config::Catalogue catalogue;
  /// What `-` names in place of standard input.
  std::optional<config::Value> document = {};
  Caller caller = {};
};

struct Command {
  std::string_view name;
  std::string_view help;  ///< the .md beside the command's .cpp
  /// Returns the exit status; throws InputError and Failure.
  int (*run)(const Arguments& arguments, const Environment& environment);
  /// Its --help beside these arguments, where that is more than `help`.
  std::string (*explain)(const Arguments& arguments) = nullptr;
  /// Does the work of the command and writes nothing. A command that has it is a function of the
  /// Python module.
  std::unique_ptr<Outcome> (*ask)(const Arguments& arguments,
                                  const Environment& environment) = nullptr;
  /// Returns what its arguments may name besides files; for completion.
  std::vector<std::string> (*words)(const config::Catalogue& catalogue) = nullptr;
};

/// All commands, in the order of the list in meson.build.
std::span<const Command* const> commands();

}  // namespace pipewright::cli
