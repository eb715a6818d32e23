// A command as a user would type it again, for pages.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace pipewright::cli {

/// Returns the command without the options that say where its answer goes. Words that a shell would
/// read stand in quotes.
std::string asked_again(std::string_view command, const Arguments& arguments);

}  // namespace pipewright::cli
