// Bash's patterns: *, ?, [...].
#pragma once

#include <string>
#include <string_view>

namespace pipewright::shell {

bool matches(std::string_view pattern, std::string_view text);

/// Returns `text` without what `pattern` matches at its beginning or end: the longest such piece or
/// the shortest.
std::string without_prefix(std::string_view text, std::string_view pattern, bool longest);
std::string without_suffix(std::string_view text, std::string_view pattern, bool longest);

/// Returns `text` with the first match of `pattern`, or all, replaced.
std::string replaced(std::string_view text, std::string_view pattern, std::string_view by,
                     bool all);

}  // namespace pipewright::shell
