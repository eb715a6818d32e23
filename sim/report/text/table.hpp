// Aligned columns and broken lines, for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pipewright {

/// The rows have their columns aligned: the first to the left, the others to the right, `gap`
/// spaces between, each line after `indent` spaces. A row may end early.
std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t indent = 0,
                    size_t gap = 2);

/// Returns what aligned() does, in `columns` columns as far as words go: in the widest columns
/// cells are broken between words, but for numbers with their units, and go on below. Where that is
/// not enough, columns stand closer.
std::string fitted(const std::vector<std::vector<std::string>>& rows, size_t indent,
                   size_t columns);

/// The columns of a screen.
constexpr size_t screen = 80;

/// Lines longer than `columns` are broken between words, not before a '%', and go on after `indent`
/// spaces. A word that is longer than a line is not broken.
std::string wrapped(std::string_view text, size_t columns, size_t indent);

}  // namespace pipewright
