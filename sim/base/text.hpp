// Small helpers for messages that people read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright {

/// Returns "; did you mean 'NAME'?" for the candidates that have the word between their hyphens,
/// three at most, else for the nearest within a third of the word's length in edits, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// "a, b, c".
std::string join(std::span<const std::string_view> words, std::string_view separator = ", ");

/// What a terminal can show on one line: control bytes and what is no UTF-8 as \xNN, and of a long
/// text its beginning and its end. The same again for what it has returned.
std::string printable(std::string_view text);

/// 1.234 ms, 12.3 s: three or four significant digits with the largest fitting unit.
std::string human_time(double seconds);
/// 12.3, 1240: days in whole ones or with three significant digits.
std::string human_days(double seconds);
/// 1.23 GiB, 512 B.
std::string human_bytes(double bytes);

}  // namespace pipewright
