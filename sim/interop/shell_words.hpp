// The words of a shell script's last command, as far as launch scripts go: assignments, arrays,
// ${NAME}, ${NAME:-otherwise}, ${NAME[@]}, quotes, comments and continued lines. Nothing is run:
// $(...) and what the script does not set stay as they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace pipewright::shell {

struct Word {
  std::string text;
  int line = 1, column = 1;
};

using Command = std::vector<Word>;

/// The commands of `text` in order, without assignments. Throws InputError for a quote or a
/// parenthesis that is not closed, and for a script that grows beyond a million words.
std::vector<Command> commands(std::string_view text, const std::string& file);

}  // namespace pipewright::shell
