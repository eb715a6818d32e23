// Timelines and bars in colours, for terminals that show them.
#pragma once

#include <string>
#include <string_view>

namespace pipewright {

/// Returns `text` with the letters of every stretch between two '|' of a line on the colour of
/// their kind, and what is idle left blank.
std::string coloured(std::string_view text);

}  // namespace pipewright
