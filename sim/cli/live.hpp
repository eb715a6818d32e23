// Commands that need hardware or a clock live in a second program beside this one, so that a
// simulation never loads their libraries.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace pipewright::cli {

struct LiveCommand {
  std::string_view name;  ///< one word, or two
  std::string_view summary;
};

/// Those that this program starts, in the order of the list in calibrate/cli/meson.build.
std::span<const LiveCommand> live_commands();

/// The first words of those.
std::vector<std::string_view> live_words();
/// Tells whether `words` begin with the name of one, both words of it where it has two.
bool is_live(const Arguments& words);

/// Returns what pipewright-live prints when it is started with these words. Throws Failure when it
/// is not there or ends with another status than 0.
std::string output_of_live(const Arguments& words);

/// Becomes pipewright-live with the same words. Throws Failure when it is not there.
[[noreturn]] void start_live(const Arguments& words);

}  // namespace pipewright::cli
