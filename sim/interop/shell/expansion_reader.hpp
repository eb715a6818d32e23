// What stands for a text in a word: parameters, commands, arithmetic.
#pragma once

#include <optional>
#include <vector>

#include "interop/shell/cursor.hpp"
#include "interop/shell/syntax.hpp"

namespace pipewright::shell {

/// Reads $NAME, ${...}, $(...) or $((...)); nothing where the `$` stands for itself. `depth` counts
/// what this is nested in, `quoted` says whether it is between double quotes.
std::optional<Part> read_expansion(Cursor& cursor, int depth, bool quoted);

/// Reads `...`.
Part read_backtick(Cursor& cursor, int depth, bool quoted);

/// Reads commands up to `)`, which is passed. Defined by the reader of commands.
std::vector<Node> read_substitution(Cursor& cursor, int depth);

}  // namespace pipewright::shell
