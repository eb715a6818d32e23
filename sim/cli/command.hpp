// The commands of the program: one .cpp and one .md, which is its --help, for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/catalogue.hpp"

namespace pipewright::cli {

using Arguments = std::vector<std::string>;

/// The environment that every command is given besides its arguments.
struct Environment {
  config::Catalogue catalogue;
};

struct Command {
  std::string_view name;
  std::string_view help;  ///< the .md beside the command's .cpp
  /// Returns the exit status; throws InputError and Failure.
  int (*run)(const Arguments& arguments, const Environment& environment);
  /// Its --help beside these arguments, where that is more than `help`.
  std::string (*explain)(const Arguments& arguments) = nullptr;
};

/// All commands, in the order of the list in meson.build.
std::span<const Command* const> commands();

}  // namespace pipewright::cli
