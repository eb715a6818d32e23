// Timelines and bars as terminals show them best: in colours, and with blocks for letters.
#pragma once

#include <string>
#include <string_view>

namespace pipewright {

/// What a terminal can show.
struct Looks {
  bool colours = false;  ///< 256 of them
  bool blocks = false;   ///< UTF-8
};

/// Returns `text` with its timelines and bars drawn so. Those are the lines that end with a '|' and
/// have another. Colours mark the kind of every letter. Blocks take the place of the letters of a
/// timeline and of the words below it; a bar keeps its letters, which the table below it explains.
std::string drawn(std::string_view text, Looks looks);

}  // namespace pipewright
