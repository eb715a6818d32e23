// Commands that need hardware or a clock live in a second program beside this one, so that a
// simulation never loads their libraries.
#pragma once

#include <string_view>

#include "cli/command.hpp"

namespace pipewright::cli {

inline constexpr std::string_view live_commands[] = {"calibrate", "replay", "fit"};

bool is_live(std::string_view command);

/// What pipewright-live prints when it is started with these words. Throws Failure when it is not
/// there or ends with another status than 0.
std::string output_of_live(const Arguments& words);

/// Becomes pipewright-live with the same words. Throws Failure when it is not there.
[[noreturn]] void start_live(const Arguments& words);

}  // namespace pipewright::cli
