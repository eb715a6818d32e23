// sed, as launch scripts fill templates by it: s/PATTERN/REPLACEMENT/ of plain text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interop/shell/text.hpp"

namespace pipewright::shell {

struct Substitution {
  std::string pattern;  ///< plain text, never empty
  Text replacement;
  bool everywhere = false;  ///< not only once in a line
};

/// Returns the substitutions of a script of sed; nothing where it says something else, such as a
/// pattern that is no plain text. `extended`: patterns are those of -E.
std::optional<std::vector<Substitution>> read_sed(const Text& script, bool extended);

/// Returns `text` with the replacements; nothing where it grows beyond `most` characters. What is
/// not known in it stays as it is.
std::optional<Text> substitute(const Text& text, const Substitution& substitution, size_t most);

}  // namespace pipewright::shell
